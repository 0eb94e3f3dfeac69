/** Responses with two choices, in both forms and in any order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filterObjects, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import { assembleStream, toExpectedChoice } from '#test/support/openai-schema/validate.ts';
import { buildChunk, doneEvent, event, exampleUsage } from '#test/support/providers/openai/events.ts';
import { jsonResponse, type Respond, streamResponse } from '#test/support/providers/upstream-responses.ts';

const tools = ['get_time'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
}));
const time = { name: 'get_time', arguments: '{"zone":"CET"}' };
const forms = [true, false];

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway({ closeGraceMs: 20 });
});
afterAll(() => gateway.stop());

const ask = (protocol: 'openai' | 'google', stream: boolean, respond: Respond) =>
  gateway.ask({ protocol, stream, respond, fields: { n: 2, tools } });

function choicesIn(text: string, stream: boolean) {
  const choices = stream ? assembleStream(text).choices : filterObjects(parseJsonObject(text)?.choices);
  return choices.map((choice: JsonObject | object) => toExpectedChoice({ ...choice }));
}

const both = [
  { content: 'Hello there', finish_reason: 'length' },
  {
    content: null,
    tool_calls: [{ name: 'get_time', arguments: { zone: 'CET' } }],
    finish_reason: 'tool_calls',
  },
];
const entryOfBoth = {
  outcome: 'completed',
  finish_reason: 'length',
  usage_source: 'provider',
  input_tokens: 19,
  output_tokens: 5,
};

const delta = (index: number, content: object, finish: string | null = null) =>
  buildChunk({ choices: [{ index, delta: content, logprobs: null, finish_reason: finish }] });
const usage = buildChunk({ usage: exampleUsage });
const text = [delta(0, { role: 'assistant', content: 'Hello' }), delta(0, { content: ' there' })];
const call = [
  delta(1, {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { ...time, arguments: '' } }],
  }),
  delta(1, { tool_calls: [{ index: 0, function: { arguments: time.arguments } }] }),
];
const [endOfText, endOfCall] = [delta(0, {}, 'length'), delta(1, {}, 'tool_calls')];
const interleaved = [text[0], call[0], text[1], call[1], endOfText, endOfCall];

const orders = {
  'one after the other': [...text, endOfText, ...call, endOfCall],
  'in turns': interleaved,
  'the second one first': [...call, endOfCall, ...text, endOfText],
};

describe('Two choices of a stream', () => {
  it.each(Object.entries(orders))('stay apart: %s', async (name, chunks) => {
    for (const stream of forms) {
      const respond = streamResponse([...[...chunks, usage].map(event), doneEvent]);
      const { text: received, entry } = await ask('openai', stream, respond);
      expect(choicesIn(received, stream)).toEqual(both);
      // A stream's entry has the reason of the choice that ended first.
      const isSecondFirst = stream && name === 'the second one first';
      expect(entry).toMatchObject({ ...entryOfBoth, finish_reason: isSecondFirst ? 'tool_calls' : 'length' });
    }
  });

  it('are complete without [DONE] when both have ended', async () => {
    for (const stream of forms) {
      const respond = streamResponse([...interleaved, usage].map(event), { ending: 'hang' });
      const { caller, text: received, entry } = await ask('openai', stream, respond);
      expect(choicesIn(received, stream)).toEqual(both);
      expect([caller.done, entry.outcome]).toEqual([true, 'completed']);
    }
  });

  it('both get a finish reason at [DONE]', async () => {
    for (const stream of forms) {
      const respond = streamResponse([...interleaved.slice(0, -1).map(event), doneEvent]);
      const { text: received, entry } = await ask('openai', stream, respond);
      expect(choicesIn(received, stream)).toEqual(both);
      expect(entry).toMatchObject({ outcome: 'completed', usage_source: 'estimated' });
    }
  });

  it('end with the error of one of them', async () => {
    const error = { message: 'Out of memory', code: 500 };
    const chunks = [...text, endOfText, call[0], buildChunk({ choices: [{ index: 1, delta: {}, error }] })];
    for (const stream of forms) {
      const { caller, entry } = await ask(
        'openai',
        stream,
        streamResponse([...chunks.map(event), doneEvent]),
      );
      expect(caller).toMatchObject({
        status: stream ? 200 : 502,
        error: { message: 'Out of memory', code: 'provider_error' },
        done: false,
      });
      expect(entry).toMatchObject({ outcome: 'provider_error', error_code: 'provider_error' });
    }
  });
});

describe('Two choices of a completion', () => {
  it('are those of the response in either form', async () => {
    const message = { role: 'assistant', content: 'Hello there' };
    const calling = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: time }],
    };
    const choices = [
      { index: 0, message, finish_reason: 'length' },
      { index: 1, message: calling, finish_reason: 'tool_calls' },
    ];
    const completion = { ...buildChunk({ choices, usage: exampleUsage }), object: 'chat.completion' };
    for (const stream of forms) {
      const { text: received, entry } = await ask('openai', stream, jsonResponse(completion));
      expect(choicesIn(received, stream)).toEqual(both);
      expect(entry).toMatchObject(entryOfBoth);
    }
  });

  it('are the candidates of Gemini, also in separate chunks', async () => {
    const candidates = [
      { index: 0, content: { parts: [{ text: 'Hello there' }] }, finishReason: 'MAX_TOKENS' },
      {
        index: 1,
        content: { parts: [{ functionCall: { name: 'get_time', args: { zone: 'CET' } } }] },
        finishReason: 'STOP',
      },
    ];
    const usageMetadata = { promptTokenCount: 19, candidatesTokenCount: 5, totalTokenCount: 24 };
    const separate = candidates.map((candidate) => ({ candidates: [candidate], usageMetadata }));
    for (const stream of forms) {
      for (const respond of [
        jsonResponse({ candidates, usageMetadata }),
        jsonResponse(separate),
        streamResponse(separate.map(event)),
      ]) {
        const { text: received, entry } = await ask('google', stream, respond);
        expect(choicesIn(received, stream)).toEqual(both);
        expect(entry).toMatchObject(entryOfBoth);
      }
    }
  });
});
