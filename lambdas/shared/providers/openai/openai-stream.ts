/** Passes an OpenAI-format stream on as it came, and reads usage on the way. */
import type { ChatRequest } from '../../domain/chat-request.ts';
import { type JsonObject, parseJsonObject } from '../../domain/json.ts';
import type { StreamReader } from '../http/http-protocol.ts';
import { createSseSplitter, sseData } from '../http/sse.ts';
import { type StreamFacts, startStreamFacts } from '../provider.ts';
import { errorInsideAnswer } from '../provider-error.ts';
import { factsOfAnswer, finishedChoices, isUsageChunk } from './openai-answer.ts';

export interface OpenAiStreamOptions {
  provider: string;
  model: string;
  request: Pick<ChatRequest, 'includeUsage' | 'body'>;
}

export function createOpenAiStreamReader({ provider, model, request }: OpenAiStreamOptions): StreamReader {
  const splitter = createSseSplitter();
  const facts = startStreamFacts();

  const finished = new Set<number>();
  const choices = typeof request.body.n === 'number' ? request.body.n : 1;

  const passesOn = (event: Buffer): boolean => {
    if (facts.problem !== null) return false;
    if (facts.started && !isWorthReading(event)) return true;
    const data = sseData(event)?.trim() ?? '';
    if (data === '') return true;
    const chunk = parseJsonObject(data);
    if (chunk !== null) {
      takeFacts(facts, chunk);
      facts.problem = errorInsideAnswer(chunk, { provider, model });
      if (facts.problem !== null) return false;
      for (const index of finishedChoices(chunk)) finished.add(index);
    }
    facts.started = true;
    facts.complete ||= data === '[DONE]' || finished.size >= choices;
    return request.includeUsage || chunk === null || !isUsageChunk(chunk);
  };

  return {
    facts,
    push: (chunk) => joined(splitter.push(chunk).filter(passesOn)),
    end() {
      const rest = splitter.rest();
      if (!isWholeEvent(rest) || !passesOn(rest)) return Buffer.alloc(0);
      // A reader drops an event that no blank line ends.
      return Buffer.concat([rest, Buffer.from(rest.at(-1) === 0x0a ? '\n' : '\n\n')]);
    },
  };
}

function takeFacts(facts: StreamFacts, chunk: JsonObject): void {
  const { responseModel, usage, finishReason } = factsOfAnswer(chunk);
  facts.responseModel ??= responseModel;
  facts.usage = usage ?? facts.usage;
  facts.finishReason ??= finishReason;
}

/** Most chunks hold a piece of text and nothing for the log: a look at their bytes is enough. */
function isWorthReading(event: Buffer): boolean {
  return (
    hasValue(event, '"usage"') ||
    hasValue(event, '"finish_reason"') ||
    hasValue(event, '"error"') ||
    event.includes('[DONE]')
  );
}

/** Whether the key is there with a value other than `null`, at any depth; text of an answer has its quotes escaped. */
function hasValue(event: Buffer, key: string): boolean {
  for (let at = event.indexOf(key); at !== -1; at = event.indexOf(key, at + key.length)) {
    let value = at + key.length;
    while (event[value] === 0x20 || event[value] === 0x3a) value++;
    if (event.toString('latin1', value, value + 4) !== 'null') return true;
  }
  return false;
}

function joined(events: Buffer[]): Buffer {
  const [first] = events;
  return events.length === 1 && first !== undefined ? first : Buffer.concat(events);
}

/** A connection that was cut leaves a part of an event, which would only confuse the caller's parser. */
function isWholeEvent(rest: Buffer): boolean {
  const data = sseData(rest);
  return data !== null && (data.trim() === '[DONE]' || parseJsonObject(data) !== null);
}
