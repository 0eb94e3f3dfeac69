/** Responses of proxies in place of a provider, much that comes before an answer, and JSON that is nested too deeply. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import {
  exampleCompletion,
  type Protocol,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { deltaChunk, doneEvent, event } from '#test/support/providers/openai/events.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';

const forms = [true, false];
const megabyte = 1024 * 1024;

const finishedChoice = { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'stop' };

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway({ commentDelayMs: 5 });
});
afterAll(() => gateway.stop());

const foreign = {
  'a page': ['<!DOCTYPE html>\n<html>\n\n', '<body>\n<h1>502 Bad Gateway</h1>\n\n', '</body></html>\n'],
  'a line of text': ['upstream connect error or disconnect/reset before headers\n\n', 'reset: overflow\n'],
  'a stack trace': ['Traceback (most recent call last):\n  File "api.py"\n\n', 'MemoryError: 80 GiB\n\n'],
};

describe.each(Object.entries(foreign))('In place of a response, %s', (_, chunks) => {
  it.each(protocols)('is an error of %s', async (protocol) => {
    const message = `The response of the provider ${protocol} contains no completion`;
    for (const stream of forms) {
      const respond = streamResponse([chunks.join('')], { headers: { 'content-type': 'text/html' } });
      const { caller, entry } = await gateway.ask({ protocol, stream, respond });
      expect(caller).toMatchObject({ status: 502, error: { message, code: 'provider_error' }, usage: null });
      expect(entry).toMatchObject({ status: 502, outcome: 'provider_error', usage_source: 'estimated' });
    }
  });

  it('is not forwarded after text', async () => {
    const first = event(deltaChunk({ role: 'assistant', content: 'Hello' }));
    const respond = streamResponse([first, ...chunks]);
    const { caller, text, entry } = await gateway.ask({ protocol: 'openai', stream: true, respond });
    expect(caller).toMatchObject({ content: 'Hello', error: { code: 'provider_error' }, done: false });
    expect(entry).toMatchObject({ outcome: 'provider_error', usage_source: 'estimated', output_tokens: 2 });
    expect(text.split('\n').filter((line) => !/^(?:data: |: |$)/.test(line))).toEqual([]);
  });
});

it('sends a status for an error after a comment and a finish reason, neither of which the caller has', async () => {
  const finish = event({ ...deltaChunk({ role: 'assistant', content: '' }), choices: [finishedChoice] });
  const error = event({ error: { message: 'Worker out of memory' } });
  const respond = streamResponse([`: waiting\n\n${finish}${error}`]);
  const { caller, entry } = await gateway.ask({ protocol: 'openai', stream: true, respond });
  expect(caller).toMatchObject({ status: 502, error: { message: 'Worker out of memory' } });
  expect(entry).toMatchObject({ status: 502, outcome: 'provider_error' });
});

it('sends nothing for the lines that follow an unreadable event', async () => {
  const { events, encode } = responseFormats.google;
  const [first] = events(exampleCompletion).map(encode);
  const respond = streamResponse([`${first}data: {"cut\n\n<html>\n\n`]);
  const { caller, text, entry } = await gateway.ask({ protocol: 'google', stream: true, respond });
  expect(caller).toMatchObject({ error: { code: 'provider_error' }, done: false });
  expect(entry.outcome).toBe('provider_error');
  expect(text).not.toContain(': ping');
});

describe('An error whose data is text', () => {
  it.each([
    ['before any text', [], true, 502],
    ['after text', [event(deltaChunk({ role: 'assistant', content: 'Hello' }))], true, 200],
    ['for a caller who did not stream', [], false, 502],
  ] as const)('keeps its message %s', async (_, start, stream, status) => {
    const respond = streamResponse([...start, 'event: error\ndata: Worker out of memory\n\n', doneEvent]);
    const { caller, entry } = await gateway.ask({ protocol: 'openai', stream, respond });
    expect(caller).toMatchObject({ status, error: { message: 'Worker out of memory' }, done: false });
    expect(entry).toMatchObject({ status, outcome: 'provider_error' });
  });
});

describe('What comes before the first event', () => {
  it.each([
    ['a megabyte in one comment', `: ${'x'.repeat(megabyte)}\n\n`],
    ['a megabyte of comments', `: ${'x'.repeat(1000)}\n\n`.repeat(megabyte / 1000)],
    ['a megabyte of spaces', `${' '.repeat(megabyte)}\n\n`],
    ['many events without data', 'data:\n\n'.repeat(10_000)],
    ['many blank lines', '\n'.repeat(10_000)],
  ])('the caller gets the answer and no more bytes than came, after %s', async (_, start) => {
    for (const protocol of ['openai', 'anthropic', 'google'] as const) {
      const { events, encode, terminator } = responseFormats[protocol];
      const sent = [start, ...events(exampleCompletion).map(encode), terminator ?? ''];
      for (const stream of forms) {
        const respond = streamResponse(sent);
        const { caller, text, entry } = await gateway.ask({ protocol, stream, respond });
        expect(caller).toMatchObject({ status: 200, content: 'Hello there', finish: 'stop', done: true });
        expect(entry).toMatchObject({ outcome: 'completed', input_tokens: 19, output_tokens: 5 });
        expect(text.length).toBeLessThan(start.length + 2000);
      }
    }
  });
});

describe('JSON that is nested too deeply', () => {
  const message = 'The provider sent JSON that is nested too deeply';
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const openAiCall = '{"id":"call_1","type":"function","function":{"name":"f","arguments":{"a":DEEP}}}';
  const openAiUsage = '"usage":{"prompt_tokens":19,"completion_tokens":5,"total_tokens":24}';
  const openAiChoice = `{"index":0,"message":{"role":"assistant","tool_calls":[${openAiCall}]},"finish_reason":"stop"}`;
  const bodies: readonly (readonly [string, Protocol, string])[] = [
    [
      'annotations in the format of OpenAI',
      'openai',
      `{"choices":[{"message":{"content":"Hi","annotations":[DEEP]},"finish_reason":"stop"}],${openAiUsage}}`,
    ],
    ['a field beside the choices', 'openai', `{"choices":[${openAiChoice}],"x":DEEP,${openAiUsage}}`],
    ['arguments in the format of OpenAI', 'openai', `{"choices":[${openAiChoice}],${openAiUsage}}`],
    [
      'arguments in the format of Google',
      'google',
      `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":DEEP}}}]},"finishReason":"STOP"}],
        "usageMetadata":{"promptTokenCount":19,"candidatesTokenCount":5,"totalTokenCount":24}}`,
    ],
    [
      'arguments in the format of Anthropic',
      'anthropic',
      `{"type":"message","content":[{"type":"tool_use","id":"t","name":"f","input":{"a":DEEP}}],
        "stop_reason":"tool_use","usage":{"input_tokens":19,"output_tokens":5}}`,
    ],
    [
      'arguments in the format of Bedrock',
      'bedrock',
      `{"output":{"message":{"content":[{"toolUse":{"toolUseId":"t","name":"f","input":{"a":DEEP}}}]}},
        "stopReason":"tool_use","usage":{"inputTokens":19,"outputTokens":5,"totalTokens":24}}`,
    ],
  ];

  it.each(bodies)('is an error: %s', async (_, protocol, body) => {
    for (const levels of [600, 20_000]) {
      for (const stream of forms) {
        const respond = jsonResponse(body.replaceAll('DEEP', nested(levels)));
        const { caller, entry } = await gateway.ask({ protocol, stream, respond });
        expect(caller.error).toMatchObject({ code: 'provider_error' });
        expect(entry.outcome).toBe('provider_error');
        if (!stream) expect([caller.status, entry.status]).toEqual([502, 502]);
        if (protocol !== 'openai') continue;
        expect(caller.error?.message).toBe(message);
        expect(entry).toMatchObject({ input_tokens: 19, output_tokens: 5 });
      }
    }
  });

  it('is an error in the delta of a tool call', async () => {
    const chunk = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,${openAiCall.slice(1)}]}}]}`;
    const sent = [event(deltaChunk({ content: 'Hi' })), `data: ${chunk.replace('DEEP', nested(20_000))}\n\n`];
    for (const stream of forms) {
      const { caller, entry } = await gateway.ask({
        protocol: 'openai',
        stream,
        respond: streamResponse(sent),
      });
      expect(caller.error).toEqual({ message, code: 'provider_error' });
      expect(entry.outcome).toBe('provider_error');
    }
  });
});
