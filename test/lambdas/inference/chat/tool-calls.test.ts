import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DialectGateway,
  type DialectResult,
  startDialectGateway,
} from '#test/support/chat/dialect-gateway.ts';
import { protocols, responseFormats } from '#test/support/providers/dialects/response-formats.ts';
import { callChunks, streamedCalls, wholeCalls } from '#test/support/providers/dialects/tool-calls.ts';
import {
  buildChunk,
  deltaChunk,
  doneEvent,
  event,
  exampleUsage,
} from '#test/support/providers/openai/events.ts';
import { jsonResponse, type Respond, streamResponse } from '#test/support/providers/upstream-responses.ts';

const { openai } = responseFormats;
const tools = ['get_weather', 'get_time', 'get_date'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
}));
const forms = [true, false];

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

const ask = (stream: boolean, respond: Respond, fields = {}) =>
  gateway.ask({ protocol: 'openai', stream, respond, fields: { tools, ...fields } });

const streamOf = (chunks: readonly unknown[], finish = 'tool_calls') =>
  streamResponse([
    ...chunks.map(event),
    event(deltaChunk({}, finish)),
    event(buildChunk({ usage: exampleUsage })),
    doneEvent,
  ]);

function completionOf(calls: readonly unknown[], finish = 'tool_calls'): Respond {
  const message = { role: 'assistant', content: null, tool_calls: calls };
  const choices = [{ index: 0, message, finish_reason: finish }];
  return jsonResponse({ ...openai.whole({ text: '', calls: [] }), choices });
}

/** Names and arguments of calls with ids of their own. */
function callsOf({ caller: { calls } }: DialectResult) {
  const ids = calls.map(({ id }) => id);
  expect(ids.filter((id) => id === '')).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  return calls.map(({ name, arguments: json }) => [name, json]);
}

const completed = {
  caller: { status: 200, finish: 'tool_calls', error: null, done: true },
  entry: { outcome: 'completed', finish_reason: 'tool_calls', output_tokens: 5 },
};

describe('Tool calls in a stream', () => {
  it.each(Object.entries(streamedCalls))('are kept apart and complete: %s', async (_, { deltas, calls }) => {
    for (const stream of forms) {
      for (const finish of ['tool_calls', 'stop']) {
        const result = await ask(stream, streamOf(callChunks(deltas), finish));
        expect(result).toMatchObject(completed);
        expect(callsOf(result)).toEqual(calls);
        expect(result.caller.calls[0]?.id).toMatch(/^call_/);
      }
    }
  });

  it('keep the first id and get another one for the second call with it', async () => {
    const { deltas = [] } = streamedCalls['one id at two indexes'] ?? {};
    for (const stream of forms) {
      const { caller, entry } = await ask(stream, streamOf(callChunks(deltas)));
      const id = entry.id.replaceAll('-', '').slice(-24);
      expect(caller.calls.map((call) => call.id)).toEqual(['call_1', `call_${id}_0_1`]);
    }
  });

  it('are complete when the finish reason comes with the last delta', async () => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '' } };
    const chunk = deltaChunk({ role: 'assistant', content: null, tool_calls: [call] }, 'stop');
    for (const stream of forms) {
      const result = await ask(stream, streamResponse([event(chunk), doneEvent]));
      expect(result.caller).toMatchObject(completed.caller);
      expect(callsOf(result)).toEqual([['get_time', '{}']]);
    }
  });

  it.each(['length', 'content_filter'])('stay incomplete if the answer was cut off (%s)', async (finish) => {
    const { deltas = [] } = streamedCalls['empty arguments'] ?? {};
    for (const stream of forms) {
      const result = await ask(stream, streamOf(callChunks(deltas), finish));
      expect(result).toMatchObject({
        caller: { finish, error: null, done: true },
        entry: { outcome: 'completed', finish_reason: finish },
      });
      expect(callsOf(result)).toEqual([['get_time', '']]);
    }
  });

  it('may be a thousand', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `tool_${index}`);
    const deltas = names.flatMap((name, index) => [
      [{ index, id: 'call_1', type: 'function', function: { name, arguments: '' } }],
      [{ index, function: { arguments: `{"n":${index}}` } }],
    ]);
    for (const stream of forms) {
      const result = await ask(stream, streamOf(callChunks(deltas)));
      expect(result).toMatchObject(completed);
      expect(callsOf(result)).toEqual(names.map((name, index) => [name, `{"n":${index}}`]));
    }
  });
});

it.each(['a name in fragments', 'one id at two indexes', 'empty arguments'])(
  "OpenAI's client assembles the calls of a stream: %s",
  async (name) => {
    const { deltas = [], calls = [] } = streamedCalls[name] ?? {};
    const client = await gateway.client();
    gateway.script(streamOf(callChunks(deltas)));

    const stream = client.chat.completions.stream({
      model: 'openai/gpt-4o-mini',
      messages: [{ role: 'user', content: 'Call' }],
    });

    const { tool_calls: received = [] } = await stream.finalMessage();
    expect(
      received.map((call) => call.type === 'function' && [call.function.name, call.function.arguments]),
    ).toEqual(calls);
  },
);

describe('Tool calls in a completion', () => {
  it.each(Object.entries(wholeCalls))('are kept apart and complete: %s', async (_, { sent, calls }) => {
    for (const stream of forms) {
      for (const finish of ['tool_calls', 'stop']) {
        const result = await ask(stream, completionOf(sent, finish));
        expect(result).toMatchObject(completed);
        expect(callsOf(result)).toEqual(calls);
      }
    }
  });

  it('stay incomplete if the answer was cut off', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '' } };
    for (const stream of forms) {
      expect(callsOf(await ask(stream, completionOf([call], 'length')))).toEqual([['get_time', '']]);
    }
  });
});

describe('A call of the function that tool_choice names', () => {
  const named = { tool_choice: { type: 'function', function: { name: 'get_time' } } };
  const call = { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '{}' } };

  it.each([
    ['stop', named, 'stop'],
    ['tool_calls', named, 'tool_calls'],
    ['stop', { tool_choice: 'required' }, 'tool_calls'],
  ])('after %s with %j ends with %s', async (sent, choice, finish) => {
    for (const stream of forms) {
      for (const respond of [
        streamOf(callChunks([[{ index: 0, ...call }]]), sent),
        completionOf([call], sent),
      ]) {
        const { caller, entry } = await ask(stream, respond, choice);
        expect([caller.finish, entry.finish_reason]).toEqual([finish, finish]);
      }
    }
  });
});

describe.each(protocols)('Tool calls of %s', (protocol) => {
  it('with one id get ids of their own, and `{}` where they have no arguments', async () => {
    const calls = [
      { id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { id: 'call_1', name: 'get_time', arguments: '' },
      { id: 'call_1', name: 'get_date', arguments: '{"zone":"CET"}' },
    ];
    const { whole, events, encode, terminator } = responseFormats[protocol];
    const completion = { text: 'Wait', calls };
    for (const stream of forms) {
      for (const respond of [
        jsonResponse(whole(completion)),
        streamResponse([...events(completion).map(encode), terminator ?? '']),
      ]) {
        const result = await gateway.ask({ protocol, stream, respond, fields: { tools } });
        expect(result).toMatchObject(completed);
        expect(callsOf(result)).toEqual([
          ['get_weather', '{"city":"Oslo"}'],
          ['get_time', '{}'],
          ['get_date', '{"zone":"CET"}'],
        ]);
      }
    }
  });
});
