/** Passes on an OpenAI-format stream, normalizes chunks on which clients would break, and reads usage on the way. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseJsonObject } from '#lambdas/platform/json/json.ts';
import { createSseSplitter, sseData } from '../http/sse.ts';
import {
  type ProviderCall,
  type ResponseFacts,
  type StreamFacts,
  type StreamReader,
  startStreamFacts,
} from '../provider.ts';
import { createChunkNormalizer, type ParsedChunk } from './normalize-chunk.ts';
import { errorIn, factsOf, finishedChoices, isUsageChunk, type ResponseOrigin } from './response-facts.ts';
import { createTextDeltaMatcher, type TextDeltaMatcher } from './text-delta-matcher.ts';

const nothing: readonly Buffer[] = [];
const noBytes = Buffer.alloc(0);
const doneEvent = Buffer.from('data: [DONE]\n\n');

export function createOpenAiStreamReader(origin: ResponseOrigin, call: ProviderCall): StreamReader {
  const splitter = createSseSplitter();
  const facts = startStreamFacts();
  const matcher = createTextDeltaMatcher();
  const readData = createDataReader({ origin, call, facts }, matcher);
  const isOver = () => facts.error !== null || facts.ended;

  const readEvent = (event: Buffer): readonly Buffer[] => {
    if (isOver()) return nothing;
    if (matcher.matches(event)) return [event];
    const data = sseData(event)?.trim();
    if (data === undefined) return [event];
    try {
      return readData(data, event);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      facts.error = error;
      return nothing;
    }
  };

  return {
    facts,
    push(chunk) {
      // Most chunks are a single event with a piece of text.
      if (splitter.isBetweenEvents && !isOver() && matcher.matches(chunk)) return chunk;
      return joined(splitter.push(chunk).flatMap(readEvent));
    },
    end() {
      const rest = splitter.rest();
      const last = isWholeEvent(rest) ? readEvent(closed(rest)) : nothing;
      const isComplete = facts.complete && !isOver();
      return joined(isComplete ? [...last, doneEvent] : last);
    },
  };
}

interface EventReading {
  origin: ResponseOrigin;
  call: ProviderCall;
  facts: StreamFacts;
}

/** Throws a `GatewayError` for an unreadable event, since a piece of the completion is lost with it. */
function createDataReader(
  reading: EventReading,
  matcher: TextDeltaMatcher,
): (data: string, event: Buffer) => readonly Buffer[] {
  const { origin, facts } = reading;
  const readChunk = createChunkReader(reading, matcher);
  return (data, event) => {
    // Clients would try to parse it.
    if (data === '') return nothing;
    if (data === '[DONE]') {
      facts.started = true;
      facts.complete = true;
      facts.ended = true;
      return [event];
    }
    const chunk = parseJsonObject(data);
    if (chunk !== null) return readChunk({ data, chunk, event });
    throw new GatewayError('provider_error', {
      message: `The provider ${origin.provider} sent an event that is no JSON object`,
    });
  };
}

function createChunkReader(
  { origin, call, facts }: EventReading,
  matcher: TextDeltaMatcher,
): (read: ParsedChunk) => readonly Buffer[] {
  const { request } = call;
  const normalizer = createChunkNormalizer(call);
  const finished = new Set<number>();
  const choices = typeof request.body.n === 'number' ? request.body.n : 1;
  return (read) => {
    const { chunk, event } = read;
    const found = factsOf(chunk, origin);
    mergeFacts(facts, found);
    facts.error = errorIn(chunk, origin);
    if (facts.error !== null) return nothing;
    if (!isUsageChunk(chunk) && normalizer.hold(read)) return nothing;
    for (const index of finishedChoices(chunk)) finished.add(index);
    facts.complete ||= finished.size >= choices;
    const before = normalizer.release(chunk);
    const isUnrequested = isUsageChunk(chunk) && !request.includeUsage;
    const shown = isUnrequested ? null : normalizer.normalize(read);
    facts.started = true;
    if (shown === null) return before;
    if (shown !== event) matcher.forget();
    else if (found.usage === null) matcher.learn(event, chunk);
    return [...before, shown];
  };
}

function mergeFacts(facts: StreamFacts, found: ResponseFacts): void {
  facts.responseModel ??= found.responseModel;
  if (found.usage !== null) {
    facts.usage = found.usage;
    facts.reportedCostUsd = found.reportedCostUsd;
  }
  facts.finishReason ??= found.finishReason;
}

/** Does not copy a single event. */
function joined(events: readonly Buffer[]): Buffer {
  const [first = noBytes, ...others] = events;
  return others.length === 0 ? first : Buffer.concat(events);
}

/** A connection that breaks leaves a part of an event, which would only confuse the caller's parser. */
function isWholeEvent(rest: Buffer): boolean {
  const data = sseData(rest);
  return data !== null && (data.trim() === '[DONE]' || parseJsonObject(data) !== null);
}

/** Parsers drop an event without a blank line at its end. */
function closed(rest: Buffer): Buffer {
  return Buffer.concat([rest, Buffer.from(rest.at(-1) === 0x0a ? '\n' : '\n\n')]);
}
