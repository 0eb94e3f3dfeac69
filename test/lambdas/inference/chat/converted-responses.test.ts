/** Everything in a response that is sent in the other form than the caller asked for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  filterObjects,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import { buildChunk, doneEvent, event, exampleUsage } from '#test/support/providers/openai/events.ts';
import { eventData } from '#test/support/providers/sse-events.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

interface Sent {
  message: JsonObject;
  logprobs?: JsonObject | null;
  /** Further members of the completion or of each chunk. */
  fields?: JsonObject;
  finish?: string | null;
}

/** Sends a stream with one delta. */
function askForCompletion({ message, logprobs = null, fields = {}, finish = 'stop' }: Sent) {
  const chunk = (delta: JsonObject, reason: string | null) => ({
    ...buildChunk({ choices: [{ index: 0, delta, logprobs, finish_reason: reason }] }),
    ...fields,
  });
  const { tool_calls: calls, ...delta }: JsonObject = { role: 'assistant', ...message };
  const indexed = filterObjects(calls).map((call, index) => ({ index, ...call }));
  const events = [
    chunk(indexed.length > 0 ? { ...delta, tool_calls: indexed } : delta, null),
    ...(finish === null ? [] : [buildChunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })]),
    buildChunk({ usage: exampleUsage }),
  ];
  const respond = streamResponse([...events.map(event), doneEvent]);
  return gateway.ask({ protocol: 'openai', stream: false, respond });
}

/** Sends a completion. */
function askForStream({ message, logprobs = null, fields = {}, finish = 'stop' }: Sent) {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, logprobs, finish_reason: finish }];
  const completion = {
    ...buildChunk({ choices, usage: exampleUsage }),
    object: 'chat.completion',
    ...fields,
  };
  return gateway.ask({ protocol: 'openai', stream: true, respond: jsonResponse(completion) });
}

const chunksOf = (text: string): JsonObject[] =>
  eventData(text)
    .map(parseJsonObject)
    .filter((chunk) => chunk !== null);

/** The members of the message, joined from all deltas. */
function messageOf(text: string): JsonObject {
  const deltas = chunksOf(text)
    .flatMap(({ choices }) => filterObjects(choices))
    .map(({ delta }) => objectOrEmpty(delta));
  const message: JsonObject = {};
  for (const [name, value] of deltas.flatMap((delta) => Object.entries(delta))) {
    const isText = typeof value === 'string' && name !== 'role';
    message[name] = isText ? stringOrEmpty(message[name]) + value : value;
  }
  return message;
}

const token = { token: 'No', logprob: -0.5, bytes: [78, 111], top_logprobs: [] };
const citations = ['https://example.com/a', 'https://example.com/b'];
const details = [{ type: 'reasoning.text', text: 'Hm', signature: 'c2ln' }];
const annotation = {
  type: 'url_citation',
  url_citation: { start_index: 0, end_index: 2, url: citations[0], title: 'A' },
};

const messages: Readonly<Record<string, JsonObject>> = {
  'a refusal': { content: null, refusal: 'No' },
  reasoning: { content: 'No', reasoning_content: 'Hm' },
  annotations: { content: 'No', annotations: [annotation] },
  'reasoning with a signature': { content: 'No', reasoning_content: 'Hm', reasoning_details: details },
};

describe('A converted response keeps', () => {
  it.each(Object.entries(messages))('%s', async (_, message) => {
    const completion = await askForCompletion({ message });
    const [choice] = filterObjects(parseJsonObject(completion.text)?.choices);
    expect(choice?.message).toMatchObject(message);
    const stream = await askForStream({ message });
    const { content, ...members } = messageOf(stream.text);
    expect({ ...members, content: content || null }).toMatchObject(message);
    for (const { caller, entry } of [completion, stream]) {
      expect(caller).toMatchObject({ status: 200, finish: 'stop', error: null, done: true });
      expect(entry).toMatchObject({ outcome: 'completed', input_tokens: 19, output_tokens: 5 });
    }
  });

  it('log probabilities', async () => {
    const sent = { message: { content: 'No' }, logprobs: { content: [token], refusal: null } };
    const completion = await askForCompletion(sent);
    const [choice] = filterObjects(parseJsonObject(completion.text)?.choices);
    expect(objectOrEmpty(choice?.logprobs).content).toContainEqual(token);
    const stream = await askForStream(sent);
    const lists = chunksOf(stream.text)
      .flatMap(({ choices }) => filterObjects(choices))
      .flatMap(({ logprobs }) => filterObjects(objectOrEmpty(logprobs).content));
    expect(lists).toEqual([token]);
  });

  it("the provider's own fields", async () => {
    const fields = { citations, system_fingerprint: 'fp_1' };
    const { text: completion } = await askForCompletion({ message: { content: 'No' }, fields });
    expect(parseJsonObject(completion)).toMatchObject(fields);
    const { text: stream } = await askForStream({ message: { content: 'No' }, fields });
    expect(chunksOf(stream).at(-1)).toMatchObject(fields);
  });

  it('its id, time and model', async () => {
    const identity = { id: 'chatcmpl-7', created: 1767225607, model: 'gpt-4o-mini-7' };
    const message = { content: 'No' };
    const completion = await askForCompletion({ message });
    expect(parseJsonObject(completion.text)).toMatchObject({ id: 'chatcmpl-1', created: 1767225600 });
    const stream = await askForStream({ message, fields: identity });
    expect(chunksOf(stream.text).at(-1)).toMatchObject(identity);
    expect(stream.entry.response_model).toBe('gpt-4o-mini-7');
  });
});

describe('A converted response without a finish reason', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '{}' } };

  it.each<[string, JsonObject, string]>([
    ['text', { content: 'Hello' }, 'stop'],
    ['reasoning', { content: '', reasoning_content: 'Hm' }, 'stop'],
    ['a tool call', { content: null, tool_calls: [call] }, 'tool_calls'],
  ])('is complete if it has %s', async (_, message, finish) => {
    for (const ask of [askForCompletion, askForStream]) {
      const { caller, entry } = await ask({ message, finish: null });
      expect(caller).toMatchObject({ status: 200, finish, error: null, done: true });
      expect(entry).toMatchObject({ outcome: 'completed', finish_reason: finish, output_tokens: 5 });
    }
  });
});
