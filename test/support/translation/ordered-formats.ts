/** The formats whose responses are a list of parts in order, for tests of what their writers have in common. */
import { expect } from 'vitest';
import type { ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import {
  filterObjects,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import * as messages from '../messages/validate.ts';
import { assembleMessage, startMessagesWriter, type WriteScript } from '../messages/write.ts';
import { exampleRequestId } from '../providers/provider-call.ts';
import { itemProblems } from '../responses/item-events.ts';
import { openResponsesProblems } from '../responses/open-responses.ts';
import * as responses from '../responses/schema.ts';
import { eventsOf, startResponsesWriter, withoutTime } from '../responses/write.ts';

/** A complete part of an output. `json` is the text of a call's arguments. */
type Part =
  | { text: string }
  | { reasoning: string; signature: string }
  | { call: string; name?: string; json?: string };

interface WriteOptions {
  stream?: boolean;
  provider?: string;
  apiKey?: string;
}

interface WrittenFormat {
  /** Its name with an article. */
  noun: string;
  start(options?: WriteOptions): CompletionWriter;
  /** The part as it is in a whole body of the example request. */
  part(part: Part, index: number): JsonObject;
  /** The name of the list of parts. */
  list: 'content' | 'output';
  /** Puts the events of a complete stream together as clients do, without the time of its end. */
  assemble(text: string): Promise<JsonObject>;
  /** Finds violations of the schema and of the order of events. */
  problems(text: string, stream: boolean): string[];
  /** The events of parts, in short: where they begin, the texts of deltas, and where they end. */
  outline(text: string): string[];
  /** The deltas of a call without arguments. */
  emptyCall: string[];
  /** Whether anything says that the output is whole. */
  hasEnd(text: string): boolean;
  /** Part of the text of an output that has ended regularly. */
  completed: { withText: string; withCalls: string };
}

const wholeBody = (text: string) => parseJsonObject(text) ?? {};

const messagesFormat: WrittenFormat = {
  noun: 'a message',
  start: startMessagesWriter,
  list: 'content',
  part(part) {
    if ('text' in part) return { type: 'text', text: part.text, citations: null };
    if ('reasoning' in part) return { type: 'thinking', thinking: part.reasoning, signature: part.signature };
    const { call: id, name = 'look', json = '{}' } = part;
    return { type: 'tool_use', id, name, input: JSON.parse(json), caller: { type: 'direct' } };
  },
  assemble: assembleMessage,
  problems: (text, stream) =>
    stream ? messages.streamProblems(text) : messages.messageProblems(wholeBody(text)),
  outline: (text) =>
    filterObjects(messages.messageEvents(text)).flatMap(({ type, content_block, delta }) => {
      const { type: kind, id, name } = objectOrEmpty(content_block);
      const { partial_json: json, text: words } = objectOrEmpty(delta);
      if (type === 'content_block_stop') return ['stop'];
      if (type === 'content_block_start') return [startOf(kind, { id, name })];
      return type === 'content_block_delta' ? [String(json ?? words)] : [];
    }),
  emptyCall: [],
  hasEnd: (text) => /message_delta|message_stop|stop_reason":"/.test(text),
  completed: { withText: '"stop_reason":"end_turn"', withCalls: '"stop_reason":"tool_use"' },
};

const isCompleted = '"status":"completed","error":null';

const responsesFormat: WrittenFormat = {
  noun: 'a response',
  start: startResponsesWriter,
  list: 'output',
  part(part, index) {
    const ended = (prefix: string, fields: JsonObject) => ({
      id: `${prefix}_gateway_${exampleRequestId}_${index}`,
      status: 'completed',
      ...fields,
    });
    if ('text' in part) {
      const content = [{ type: 'output_text', text: part.text, annotations: [], logprobs: [] }];
      return ended('msg', { type: 'message', role: 'assistant', content });
    }
    if ('reasoning' in part) {
      const { reasoning: text, signature: encrypted_content } = part;
      const summary = text === '' ? [] : [{ type: 'summary_text', text }];
      return ended('rs', { type: 'reasoning', summary, encrypted_content });
    }
    const { call: call_id, name = 'look', json = '{}' } = part;
    return ended('fc', { type: 'function_call', call_id, name, arguments: json });
  },
  assemble: async (text) => objectOrEmpty(eventsOf(text).at(-1)?.response),
  problems(text, stream) {
    const response = wholeBody(text);
    return stream
      ? [...responses.streamProblems(text), ...itemProblems(eventsOf(text))]
      : [...responses.responseProblems(response), ...openResponsesProblems(response)];
  },
  outline: (text) =>
    eventsOf(text).flatMap(({ type, item, delta }) => {
      const { type: kind, call_id: id, name } = objectOrEmpty(item);
      if (type === 'response.output_item.done') return ['stop'];
      if (type === 'response.output_item.added')
        return [startOf(kind === 'message' ? 'text' : kind, { id, name })];
      return typeof delta === 'string' ? [delta] : [];
    }),
  emptyCall: ['{}'],
  hasEnd: (text) => /response\.(completed|incomplete)|"object":"response".*"completed_at":\d/.test(text),
  completed: { withText: isCompleted, withCalls: isCompleted },
};

const startOf = (kind: unknown, { id, name }: JsonObject) =>
  `start ${id === undefined ? kind : `${name} ${id}`}`;

/** By the names of the operations. */
export const orderedFormats = { messages: messagesFormat, responses: responsesFormat };

/** For tests of each format. */
export const eachFormat = Object.entries(orderedFormats);

interface WrittenText {
  text: string;
  facts: ReaderFacts;
}

/** The script is the whole response, so that it ends if it is finished. */
export function writeText({ start }: WrittenFormat, script: WriteScript, options: WriteOptions): WrittenText {
  const writer = start(options);
  script(writer.choice(0), writer);
  writer.end();
  return { text: writer.take().toString(), facts: writer.facts };
}

/** Expects these parts, and the same body as a stream and as a whole. Returns the body. */
export async function expectParts(
  format: WrittenFormat,
  script: WriteScript,
  parts: readonly JsonObject[],
  options: WriteOptions = {},
): Promise<JsonObject> {
  const whole = writeText(format, script, { ...options, stream: false }).text;
  const stream = writeText(format, script, { ...options, stream: true }).text;
  const body = wholeBody(whole);
  expect(body[format.list]).toEqual(parts);
  expect(withoutTime(await format.assemble(stream))).toEqual(withoutTime(body));
  expect([format.problems(stream, true), format.problems(whole, false)]).toEqual([[], []]);
  return body;
}
