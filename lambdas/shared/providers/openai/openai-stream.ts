/** Passes an OpenAI-format stream on as it came, mends what clients break on, and reads usage on the way. */
import { type JsonObject, parseJsonObject } from '../../domain/json.ts';
import type { StreamReader } from '../http/http-protocol.ts';
import { createSseSplitter, sseData } from '../http/sse.ts';
import { type ProviderCall, type StreamFacts, startStreamFacts } from '../provider.ts';
import { createChunkGlance } from './chunk-glance.ts';
import { createChunkRepairs } from './chunk-repairs.ts';
import { applyJsonEdits } from './json-edits.ts';
import { type Asked, factsOfAnswer, failureInside, finishedChoices, isUsageChunk } from './openai-answer.ts';

const nothing: readonly Buffer[] = [];
const doneEvent = Buffer.from('data: [DONE]\n\n');

export function createOpenAiStreamReader(asked: Asked, call: ProviderCall): StreamReader {
  const splitter = createSseSplitter();
  const facts = startStreamFacts();
  const events = createEventReader({ asked, call, facts });
  return {
    facts,
    push(chunk) {
      const shown: Buffer[] = [];
      for (const event of splitter.push(chunk)) shown.push(...events.read(event));
      return joined(shown);
    },
    end() {
      const rest = splitter.rest();
      const last = isWholeEvent(rest) ? events.read(closed(rest)) : nothing;
      return Buffer.concat([...last, ...events.end()]);
    },
  };
}

interface EventReader {
  /** What of an event goes to the caller, and as what. */
  read(event: Buffer): readonly Buffer[];
  /** What is missing when the provider has said all. */
  end(): readonly Buffer[];
}

interface EventReading {
  asked: Asked;
  call: ProviderCall;
  facts: StreamFacts;
}

function createEventReader({ asked, call, facts }: EventReading): EventReader {
  const { request } = call;
  const repairs = createChunkRepairs(call);
  const glance = createChunkGlance();
  const finished = new Set<number>();
  const choices = typeof request.body.n === 'number' ? request.body.n : 1;
  let placeholders: string[] = [];

  const repaired = (data: string, chunk: JsonObject, event: Buffer | null): Buffer => {
    const edits = repairs.editsOf(chunk);
    if (edits.length > 0) return Buffer.from(`data: ${applyJsonEdits(data, edits)}\n\n`);
    return event ?? Buffer.from(`data: ${data}\n\n`);
  };
  /** What came before the answer had an id gets the id of the answer. */
  const placeholderEvents = (next: JsonObject): Buffer[] => {
    repairs.identify(next);
    const waiting = placeholders;
    placeholders = [];
    return waiting.map((data) => repaired(data, parseJsonObject(data) ?? {}, null));
  };
  const readChunk = (data: string, chunk: JsonObject, event: Buffer): readonly Buffer[] => {
    const said = factsOfAnswer(chunk, asked);
    takeFacts(facts, said);
    facts.problem = failureInside(chunk, asked);
    if (facts.problem !== null) return nothing;
    if (repairs.isPlaceholder(chunk) && !isUsageChunk(chunk)) {
      placeholders.push(data);
      return nothing;
    }
    for (const index of finishedChoices(chunk)) finished.add(index);
    facts.started = true;
    facts.complete ||= finished.size >= choices;
    const before = placeholders.length === 0 ? nothing : placeholderEvents(chunk);
    if (isUsageChunk(chunk) && !request.includeUsage) return before;
    const shown = repaired(data, chunk, event);
    if (shown !== event) glance.forget();
    else if (said.usage === null) glance.learn(event, chunk);
    return [...before, shown];
  };

  return {
    read(event) {
      if (facts.problem !== null || facts.ended) return nothing;
      if (glance.isMoreText(event)) return [event];
      const data = sseData(event)?.trim() ?? '';
      if (data === '') return [event];
      if (data === '[DONE]') {
        facts.started = true;
        facts.complete = true;
        facts.ended = true;
        return [event];
      }
      const chunk = parseJsonObject(data);
      if (chunk !== null) return readChunk(data, chunk, event);
      facts.started = true;
      return [event];
    },
    end: () => (facts.complete && facts.problem === null && !facts.ended ? [doneEvent] : nothing),
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

function joined(events: readonly Buffer[]): Buffer {
  const [first] = events;
  return events.length === 1 && first !== undefined ? first : Buffer.concat(events);
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
