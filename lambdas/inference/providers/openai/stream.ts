/** Passes an OpenAI-format stream on as it came, mends what clients break on, and reads usage on the way. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseJsonObject } from '#lambdas/platform/json/json.ts';
import { createSseSplitter, sseData } from '../http/sse.ts';
import { type ProviderCall, type StreamFacts, type StreamReader, startStreamFacts } from '../provider.ts';
import { createChunkWriter, type ReadChunk } from './normalize-chunk.ts';
import { type Asked, factsOfAnswer, failureInside, finishedChoices, isUsageChunk } from './response-facts.ts';
import { createTextDeltaMatcher, type TextDeltaMatcher } from './text-delta-matcher.ts';

const nothing: readonly Buffer[] = [];
const noBytes = Buffer.alloc(0);
const doneEvent = Buffer.from('data: [DONE]\n\n');

export function createOpenAiStreamReader(asked: Asked, call: ProviderCall): StreamReader {
  const splitter = createSseSplitter();
  const facts = startStreamFacts();
  const matcher = createTextDeltaMatcher();
  const readData = createDataReader({ asked, call, facts }, matcher);
  const isOver = () => facts.problem !== null || facts.ended;

  /** The bytes for the caller, which may be none or several events. */
  const readEvent = (event: Buffer): readonly Buffer[] => {
    if (isOver()) return nothing;
    if (matcher.matches(event)) return [event];
    const data = sseData(event)?.trim();
    if (data === undefined) return [event];
    try {
      return readData(data, event);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      facts.problem = error;
      return nothing;
    }
  };

  return {
    facts,
    push(chunk) {
      // Most chunks are one event with a piece of text, and pass as they are.
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
  asked: Asked;
  call: ProviderCall;
  facts: StreamFacts;
}

/** Throws a `GatewayError` for what no client could read: a piece of the answer is lost with it. */
function createDataReader(
  reading: EventReading,
  matcher: TextDeltaMatcher,
): (data: string, event: Buffer) => readonly Buffer[] {
  const { asked, facts } = reading;
  const readChunk = createChunkReader(reading, matcher);
  return (data, event) => {
    // It says nothing, and clients try to read it all the same.
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
      message: `The provider ${asked.provider} sent an event that is no JSON object`,
    });
  };
}

function createChunkReader(
  { asked, call, facts }: EventReading,
  matcher: TextDeltaMatcher,
): (read: ReadChunk) => readonly Buffer[] {
  const { request } = call;
  const writer = createChunkWriter(call);
  const finished = new Set<number>();
  const choices = typeof request.body.n === 'number' ? request.body.n : 1;
  return (read) => {
    const { chunk, event } = read;
    const said = factsOfAnswer(chunk, asked);
    takeFacts(facts, said);
    facts.problem = failureInside(chunk, asked);
    if (facts.problem !== null) return nothing;
    if (!isUsageChunk(chunk) && writer.hold(read)) return nothing;
    for (const index of finishedChoices(chunk)) finished.add(index);
    facts.complete ||= finished.size >= choices;
    const before = writer.release(chunk);
    const isUnasked = isUsageChunk(chunk) && !request.includeUsage;
    const shown = isUnasked ? null : writer.write(read);
    facts.started = true;
    if (shown === null) return before;
    if (shown !== event) matcher.forget();
    else if (said.usage === null) matcher.learn(event, chunk);
    return [...before, shown];
  };
}

function takeFacts(facts: StreamFacts, said: ReturnType<typeof factsOfAnswer>): void {
  facts.responseModel ??= said.responseModel;
  if (said.usage !== null) {
    facts.usage = said.usage;
    facts.statedCostUsd = said.statedCostUsd;
  }
  facts.finishReason ??= said.finishReason;
}

/** Copies nothing where there is one event. */
function joined(events: readonly Buffer[]): Buffer {
  const [first = noBytes, ...others] = events;
  return others.length === 0 ? first : Buffer.concat(events);
}

/** A connection that was cut leaves a part of an event, which would only confuse the caller's parser. */
function isWholeEvent(rest: Buffer): boolean {
  const data = sseData(rest);
  return data !== null && (data.trim() === '[DONE]' || parseJsonObject(data) !== null);
}

/** A reader drops an event that no blank line ends. */
function closed(rest: Buffer): Buffer {
  return Buffer.concat([rest, Buffer.from(rest.at(-1) === 0x0a ? '\n' : '\n\n')]);
}
