/** Errors that a provider reports with status 200, and responses in which nothing was completed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import { bedrockFrame } from '#test/support/providers/bedrock/event-stream.ts';
import {
  emptyCompletions,
  emptyErrors,
  emptyStreams,
  emptyStreamsWithChunk,
  streamedErrors,
  upstreamMessage,
  wholeErrors,
} from '#test/support/providers/dialects/errors.ts';
import {
  exampleCompletion,
  type Protocol,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { deltaChunk, event } from '#test/support/providers/openai/events.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';

const { openai } = responseFormats;
const text = event(deltaChunk({ role: 'assistant', content: 'Hello' }));
const asked = [false, true];

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

/** The message is one of those by which servers report that the context is full. */
const overflow = { message: upstreamMessage, code: 'context_length_exceeded' };
const asStatus = { status: 400, content: null, error: overflow, usage: null, done: false };
const failed = (status: number, code = overflow.code) => ({
  status,
  outcome: 'provider_error',
  error_code: code,
  finish_reason: null,
});

describe('An error in a response with status 200', () => {
  it.each(Object.entries(streamedErrors))('is an HTTP error before any text: %s', async (_, error) => {
    for (const stream of asked) {
      const { caller, entry } = await gateway.ask({
        protocol: 'openai',
        stream,
        respond: streamResponse([error]),
      });
      expect(caller).toMatchObject(asStatus);
      expect(entry).toMatchObject({ ...failed(400), usage_source: 'missing', cost_usd: '0' });
    }
  });

  it.each(Object.entries(streamedErrors))(
    'is an error event after text, without [DONE]: %s',
    async (_, error) => {
      const respond = streamResponse([text, error]);
      const { caller, entry } = await gateway.ask({ protocol: 'openai', stream: true, respond });
      expect(caller).toMatchObject({ status: 200, content: 'Hello', error: overflow, done: false });
      expect(entry).toMatchObject({ ...failed(200), usage_source: 'estimated', output_tokens: 2 });
    },
  );

  it.each(Object.entries(streamedErrors))(
    'is an HTTP error after text for a caller who did not stream: %s',
    async (_, error) => {
      const respond = streamResponse([text, error]);
      const { caller, entry } = await gateway.ask({ protocol: 'openai', stream: false, respond });
      expect(caller).toMatchObject(asStatus);
      expect(entry).toMatchObject({ ...failed(400), usage_source: 'estimated', output_tokens: 2 });
    },
  );

  it.each(Object.entries(wholeErrors))('is an HTTP error as a JSON body: %s', async (_, body) => {
    for (const stream of asked) {
      const { caller, entry } = await gateway.ask({
        protocol: 'openai',
        stream,
        respond: jsonResponse(body),
      });
      expect(caller).toMatchObject(asStatus);
      expect(entry).toMatchObject({ ...failed(400), usage_source: 'missing', cost_usd: '0' });
    }
  });

  const nativeErrors: Record<Exclude<Protocol, 'openai'>, Record<string, unknown>> = {
    anthropic: { type: 'error', error: { type: 'invalid_request_error', message: upstreamMessage } },
    google: { error: { code: 400, message: upstreamMessage, status: 'INVALID_ARGUMENT' } },
    bedrock: { validationException: { message: upstreamMessage } },
  };
  it.each(Object.entries(nativeErrors) as [keyof typeof nativeErrors, Record<string, unknown>][])(
    'keeps its message in the events of %s, before and after text',
    async (protocol, error) => {
      const { events, encode } = responseFormats[protocol];
      const encoded = protocol === 'bedrock' ? bedrockFrame(error) : encode(error);
      const start = events(exampleCompletion).slice(0, -3).map(encode);
      for (const stream of asked) {
        const first = await gateway.ask({ protocol, stream, respond: streamResponse([encoded]) });
        expect(first).toMatchObject({ caller: asStatus, entry: { ...failed(400), usage_source: 'missing' } });
        const later = await gateway.ask({ protocol, stream, respond: streamResponse([...start, encoded]) });
        const isStarted = stream && start.length > 0;
        expect(later.caller).toMatchObject({ status: isStarted ? 200 : 400, error: overflow, done: false });
        expect(later.entry).toMatchObject(failed(isStarted ? 200 : 400));
      }
    },
  );

  it.each(protocols)('is an HTTP error as the JSON body of %s', async (protocol) => {
    const body = { error: { code: 400, message: upstreamMessage }, message: upstreamMessage };
    for (const stream of asked) {
      for (const json of protocol === 'google' ? [body, [body]] : [body]) {
        const { caller, entry } = await gateway.ask({ protocol, stream, respond: jsonResponse(json) });
        expect(caller).toMatchObject(asStatus);
        expect(entry).toMatchObject({ ...failed(400), usage_source: 'missing' });
      }
    }
  });

  it("makes OpenAI's client throw the provider's message (llama.cpp)", async () => {
    const client = await gateway.client();
    gateway.script(streamResponse([streamedErrors['the field `error` and [DONE]'] ?? '']));
    const messages = [{ role: 'user' as const, content: 'Say hello' }];
    const asking = client.chat.completions.create({ model: 'openai/gpt-4o', messages, stream: true });

    await expect(asking).rejects.toMatchObject({ status: 400, code: overflow.code, error: overflow });
  });
});

describe('A response in which nothing was completed', () => {
  const message = 'The response of the provider openai contains no completion';
  const cases = [
    ...Object.entries(emptyStreams).map(([name, events]) => [name, events, 502] as const),
    ...Object.entries(emptyStreamsWithChunk).map(([name, events]) => [name, events, 200] as const),
  ];
  it.each(cases)('is an error as a stream: %s', async (_, events, status) => {
    for (const stream of asked) {
      const respond = streamResponse([events]);
      const { caller, entry } = await gateway.ask({ protocol: 'openai', stream, respond });
      const expected = stream ? status : 502;
      expect(caller).toMatchObject({
        status: expected,
        done: false,
        error: { message, code: 'provider_error' },
      });
      expect(caller.content ?? '').toBe('');
      expect(entry).toMatchObject(failed(expected, 'provider_error'));
    }
  });

  it.each(Object.entries(emptyCompletions))('is an error as a completion: %s', async (_, body) => {
    for (const stream of asked) {
      const { caller, entry } = await gateway.ask({
        protocol: 'openai',
        stream,
        respond: jsonResponse(body),
      });
      expect(caller).toMatchObject({ status: 502, error: { message, code: 'provider_error' } });
      expect(entry).toMatchObject(failed(502, 'provider_error'));
    }
  });

  it.each(protocols)('is none if it has a finish reason and no text (%s)', async (protocol) => {
    const empty = { text: '', calls: [] };
    const { whole, events, encode, terminator } = responseFormats[protocol];
    for (const stream of asked) {
      for (const respond of [
        jsonResponse(whole(empty)),
        streamResponse([...events(empty).map(encode), terminator ?? '']),
      ]) {
        const { caller, entry } = await gateway.ask({ protocol, stream, respond });
        expect(caller).toMatchObject({ status: 200, finish: 'stop', error: null, done: true });
        expect(caller.content ?? '').toBe('');
        expect(entry).toMatchObject({ outcome: 'completed', finish_reason: 'stop', output_tokens: 5 });
      }
    }
  });
});

describe('An empty error', () => {
  it.each(Object.entries(emptyErrors))('is none beside an answer: %s', async (_, error) => {
    const completion = { ...openai.whole(exampleCompletion), error };
    const chunks = openai.events(exampleCompletion).map((chunk) => event({ ...chunk, error }));
    for (const stream of asked) {
      for (const respond of [
        jsonResponse(completion),
        streamResponse([...chunks, openai.terminator ?? '']),
      ]) {
        const { caller, entry } = await gateway.ask({ protocol: 'openai', stream, respond });
        expect(caller).toMatchObject({ status: 200, content: 'Hello there', error: null, done: true });
        expect(entry).toMatchObject({ outcome: 'completed', error_code: null, output_tokens: 5 });
      }
    }
  });
});
