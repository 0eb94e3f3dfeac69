/** Forwards a stream in OpenAI's format, normalizes chunks that would break clients, and collects the facts for the log. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { numberOr, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { createSseSplitter, sseData } from '../http/sse.ts';
import { type ProviderCall, type StreamFacts, type StreamReader, startStreamFacts } from '../provider.ts';
import { createBillingReader, type ResponseOrigin } from './billing.ts';
import { createChunkNormalizer, type ParsedChunk } from './normalize-chunk.ts';
import { factsOf, findError, finishedChoices, isUsageChunk, type NamedFacts } from './response-facts.ts';
import { createTextDeltaMatcher, type TextDeltaMatcher } from './text-delta-matcher.ts';

const noEvents: readonly Buffer[] = [];
const noBytes = Buffer.alloc(0);
const doneEvent = Buffer.from('data: [DONE]\n\n');

export function createOpenAiStreamReader(origin: ResponseOrigin, call: ProviderCall): StreamReader {
  const splitter = createSseSplitter();
  const facts = startStreamFacts();
  const matcher = createTextDeltaMatcher();
  const readData = createDataReader({ origin, call, facts }, matcher);
  const isOver = () => facts.error !== null || facts.ended;

  const readEvent = (event: Buffer): readonly Buffer[] => {
    if (isOver()) return noEvents;
    if (matcher.matches(event)) return [event];
    const data = sseData(event)?.trim();
    if (data === undefined) return [event];
    try {
      return readData(data, event);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      facts.error = error;
      return noEvents;
    }
  };

  return {
    facts,
    push(chunk) {
      // Most chunks are a single event that only adds text.
      if (splitter.isBetweenEvents && !isOver() && matcher.matches(chunk)) return chunk;
      return concat(splitter.push(chunk).flatMap(readEvent));
    },
    end() {
      const rest = splitter.rest();
      const last = isCompleteEvent(rest) ? readEvent(withBlankLine(rest)) : noEvents;
      const isComplete = facts.complete && !isOver();
      return concat(isComplete ? [...last, doneEvent] : last);
    },
  };
}

interface EventContext {
  origin: ResponseOrigin;
  call: ProviderCall;
  facts: StreamFacts;
}

/** Throws a `GatewayError` for an unreadable event, since a part of the completion is lost with it. */
function createDataReader(
  context: EventContext,
  matcher: TextDeltaMatcher,
): (data: string, event: Buffer) => readonly Buffer[] {
  const { origin, facts } = context;
  const readChunk = createChunkReader(context, matcher);
  return (data, event) => {
    // Dropped, since clients would try to parse it.
    if (data === '') return noEvents;
    if (data === '[DONE]') {
      facts.started = true;
      facts.complete = true;
      facts.ended = true;
      return [event];
    }
    const chunk = parseJsonObject(data);
    if (chunk !== null) return readChunk({ data, chunk, event });
    throw new GatewayError('provider_error', {
      message: `The provider ${origin.provider} sent an event that is not a JSON object`,
    });
  };
}

function createChunkReader(
  { origin, call, facts }: EventContext,
  matcher: TextDeltaMatcher,
): (parsed: ParsedChunk) => readonly Buffer[] {
  const { request } = call;
  const normalizer = createChunkNormalizer(call);
  const billing = createBillingReader(origin, origin.model);
  const finished = new Set<number>();
  const choices = numberOr(request.body.n, 1);
  return (parsed) => {
    const { chunk, event } = parsed;
    const { serviceTier } = facts;
    const hasUsage = billing.read(chunk);
    Object.assign(facts, billing.facts());
    // A text chunk with an earlier tier must not match, since it may change the tier back.
    if (facts.serviceTier !== serviceTier) matcher.forget();
    facts.unitCounts = billing.unitCounts();
    addNames(facts, factsOf(chunk));
    facts.error = findError(chunk, origin);
    if (facts.error !== null) return noEvents;
    if (!isUsageChunk(chunk) && normalizer.hold(parsed)) return noEvents;
    for (const index of finishedChoices(chunk)) finished.add(index);
    facts.complete ||= finished.size >= choices;
    const released = normalizer.release(chunk);
    const isUnrequested = isUsageChunk(chunk) && !request.includeUsage;
    const normalized = isUnrequested ? null : normalizer.normalize(parsed);
    facts.started = true;
    if (normalized === null) return released;
    if (normalized !== event) matcher.forget();
    else if (!hasUsage) matcher.learn(event, chunk);
    return [...released, normalized];
  };
}

function addNames(facts: StreamFacts, found: NamedFacts): void {
  facts.responseModel ??= found.responseModel;
  facts.finishReason ??= found.finishReason;
}

/** Does not copy a single event. */
function concat(events: readonly Buffer[]): Buffer {
  const [first = noBytes, ...others] = events;
  return others.length === 0 ? first : Buffer.concat(events);
}

/** A lost connection leaves a truncated event, which the caller could not parse. */
function isCompleteEvent(rest: Buffer): boolean {
  const data = sseData(rest);
  return data !== null && (data.trim() === '[DONE]' || parseJsonObject(data) !== null);
}

/** Parsers discard a final event without a blank line after it. */
function withBlankLine(rest: Buffer): Buffer {
  return Buffer.concat([rest, Buffer.from(rest.at(-1) === 0x0a ? '\n' : '\n\n')]);
}
