/** Tests `overhead_ms` with a clock that only the steps of the gateway and of the provider advance. */
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { chat as chatOperation } from '#lambdas/inference/chat/operation.ts';
import { chatLimits, defaultChatLimits } from '#lambdas/inference/exchange/limits.ts';
import { createInferenceHandler } from '#lambdas/inference/handler.ts';
import type { Operation } from '#lambdas/inference/operation.ts';
import { operationPaths } from '#lambdas/inference/paths.ts';
import type { HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { TruncatedResponseError } from '#lambdas/inference/providers/http/connection-errors.ts';
import type { CallProtocol } from '#lambdas/inference/providers/provider.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { fc } from '#test/support/fast-check.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import { deltaChunk, doneEvent, errorEvent, event } from '#test/support/providers/openai/events.ts';

/** The durations of the gateway's steps. */
const authenticateMs = 2;
const prepareMs = 3;
const logLineMs = 1;
const translateMs = 4;
const refreshMs = 30;

const beforeMs = authenticateMs + prepareMs + logLineMs;

/** Milliseconds that pass at the provider, a chunk that arrives, or an event of the test. */
type Step = number | string | Buffer | ((caller: Writable) => unknown);

interface ScriptedResponse {
  /** Until the headers. */
  headMs?: number;
  /** Thrown instead of the headers. */
  failure?: GatewayError;
  status?: number;
  headers?: Record<string, string>;
  body: readonly Step[];
}

const stream = { 'content-type': 'text/event-stream' };
const comment = ': wait\n\n';
const firstEvent = event(deltaChunk({ role: 'assistant', content: 'Hi' }));
const lastEvent = event(deltaChunk({ content: '!' }, 'stop'));
const completion = JSON.stringify({
  choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }],
});

const disconnect: Step = (caller) => once(caller.destroy(), 'close');
const truncate: Step = () => Promise.reject(new TruncatedResponseError(new Error('closed')));
const timeoutError = new GatewayError('provider_timeout', { message: 'Too slow' });
const timeOut: Step = () => Promise.reject(timeoutError);

async function chat(model: string, ...responses: readonly ScriptedResponse[]) {
  let nowMs = Date.UTC(2026, 0, 31, 9, 30);
  const now = () => new Date(nowMs);
  const elapse = (milliseconds: number) => {
    nowMs += milliseconds;
  };
  const caller = new Writable({ write: (_chunk, _encoding, done) => done() });
  const play = async (steps: readonly Step[], consume: (chunk: Buffer) => unknown) => {
    for (const step of steps) {
      if (typeof step === 'number') elapse(step);
      else if (typeof step === 'function') await step(caller);
      else await consume(Buffer.from(step));
    }
  };
  const remaining = [...responses];
  const transport: HttpTransport = async () => {
    const { headMs = 0, failure, status = 200, headers = {}, body } = remaining.shift() ?? { body: [] };
    elapse(headMs);
    if (failure !== undefined) throw failure;
    return { status, headers, read: (consume) => play(body, consume) };
  };
  const registry = createProviderRegistry(
    { openai: { baseUrl: 'http://127.0.0.1:1' } },
    exampleClientOptions,
  );
  const placeholders: Partial<LogEntry>[] = [];
  const entries: LogEntry[] = [];
  const handle = createInferenceHandler({
    operations: { [operationPaths['chat.completions']]: () => withDurations(chatOperation, elapse) },
    now,
    transport,
    async authenticate() {
      elapse(authenticateMs);
      return requestKey();
    },
    credentials: {
      prefetch() {},
      prefetchEarly() {},
      find: async () => 'sk-upstream',
      async refresh() {
        elapse(refreshMs);
        return null;
      },
      providerNames: async () => [],
    },
    providers: registry,
    agentSessions: true,
    log: {
      info(event, fields) {
        elapse(logLineMs);
        if (event === 'request_forwarded') placeholders.push((fields as { entry: Partial<LogEntry> }).entry);
      },
      error() {},
    },
    logEntries: { put: async (entry) => void entries.push(entry) },
    lostEntries: { send: () => Promise.reject(new Error('Log entries are always written')) },
    loadPricing: async () => createPricing(emptyPriceTable),
    loadAdmitRequest: () => Promise.reject(new Error('The key has no budget')),
    loadServeRoute: () => Promise.reject(new Error('No request names a route')),
    loadConversationState: () => Promise.reject(new Error('The provider keeps nothing')),
    cors: createCors([]),
    loadEndpoints: () => Promise.reject(new Error('Each request calls an operation')),
    limits: chatLimits(defaultChatLimits, { flushMs: 0 }),
  });

  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello' }], stream: true });
  await handle({
    request: {
      method: 'POST',
      path: '/ai/chat/completions',
      headers: {},
      readQuery: () => ({}),
      readBody: () => body,
    },
    response: createResponseSink(caller, () => caller),
    deadlineMs: nowMs + 600_000,
    signal: new AbortController().signal,
  });
  return { entry: entries[0], placeholders };
}

function withDurations(operation: Operation, elapse: (milliseconds: number) => void): Operation {
  const slowly = <Result>(work: () => Result): Result => {
    elapse(translateMs);
    return work();
  };
  const slowProtocol = (protocol: CallProtocol): CallProtocol => ({
    ...protocol,
    async loadReaders() {
      const readers = await protocol.loadReaders();
      return {
        ...readers,
        createReader(...started) {
          const { push, end, ...reader } = readers.createReader(...started);
          return { ...reader, push: (chunk) => slowly(() => push(chunk)), end: () => slowly(end) };
        },
      };
    },
  });
  return {
    ...operation,
    parse(text) {
      const parsed = operation.parse(text);
      return {
        ...parsed,
        prepareFor(provider) {
          const prepare = parsed.prepareFor(provider);
          return async (context) => {
            elapse(prepareMs);
            const prepared = await prepare(context);
            return 'parts' in prepared
              ? prepared
              : { ...prepared, protocol: slowProtocol(prepared.protocol) };
          };
        },
      };
    },
  };
}

const model = 'openai/gpt-4o';

describe('overhead_ms', () => {
  it.each<[string, ScriptedResponse]>([
    [
      "a stream's first event, after comments",
      {
        headMs: 100,
        headers: stream,
        body: [comment, 5000, comment, 300, firstEvent, 700, lastEvent, doneEvent],
      },
    ],
    [
      "the last part of a stream's first event",
      { headers: stream, body: [firstEvent.slice(0, 20), 5000, firstEvent.slice(20), 700, lastEvent] },
    ],
    [
      'the end of a stream whose only event lacks a blank line',
      { headers: stream, body: [lastEvent.trim(), 5000] },
    ],
    [
      'an error event at the start of a stream',
      { headers: stream, body: [comment, 5000, errorEvent({ message: 'No' })] },
    ],
    ['the end of a stream without events', { headers: stream, body: [comment, 5000] }],
    [
      'the last byte of a completion',
      {
        headMs: 100,
        headers: { 'content-type': 'application/json' },
        body: ['\n', 5000, completion.slice(0, 9), 300, completion.slice(9)],
      },
    ],
    [
      'the last byte of a body without a completion',
      { headers: { 'content-type': 'application/json' }, body: ['{', 5000, '}'] },
    ],
  ])('is the time until the request is sent, and from %s until the response', async (_, response) => {
    const { entry } = await chat(model, response);

    expect(entry?.overhead_ms).toBe(beforeMs + translateMs);
  });

  it('includes the time from a failed response until the error is sent', async () => {
    const { entry } = await chat(model, { headMs: 100, status: 401, body: ['{}', 5000] });

    expect(entry).toMatchObject({
      outcome: 'provider_error',
      overhead_ms: beforeMs + refreshMs,
      latency_ms: beforeMs + 5100 + refreshMs,
    });
  });

  it('does not include failed attempts and the time until the retry', async () => {
    const rateLimited = { headMs: 2000, status: 429, headers: { 'retry-after-ms': '0' }, body: ['{}', 500] };

    const retried = await chat(model, rateLimited, {
      headMs: 3000,
      headers: stream,
      body: [lastEvent, doneEvent],
    });
    const failed = await chat(model, rateLimited, rateLimited);

    expect(retried.entry).toMatchObject({
      outcome: 'completed',
      retries: 1,
      overhead_ms: beforeMs + translateMs,
    });
    expect(failed.entry).toMatchObject({ outcome: 'provider_error', retries: 1, overhead_ms: beforeMs });
  });

  it.each<[string, ScriptedResponse]>([
    [
      'times out in a completion',
      { headers: { 'content-type': 'application/json' }, body: ['{', 5000, timeOut] },
    ],
    ['times out before the headers', { headMs: 5000, failure: timeoutError, body: [] }],
    ['times out before the first event', { headers: stream, body: [comment, 5000, timeOut] }],
    ['closes the connection before the first event', { headers: stream, body: [comment, 5000, truncate] }],
  ])('is only the time until the request is sent when the provider %s', async (_, response) => {
    const { entry } = await chat(model, response);

    expect(entry?.overhead_ms).toBe(beforeMs);
  });

  it.each<[string, ScriptedResponse]>([
    ['a stream', { headers: stream, body: [disconnect, 5000, firstEvent, lastEvent, doneEvent] }],
    [
      'a completion',
      { headers: { 'content-type': 'application/json' }, body: [disconnect, 5000, completion] },
    ],
    ['an error', { status: 401, body: [disconnect, 5000, '{}'] }],
  ])(
    'is only the time until the request is sent when the caller disconnects before %s',
    async (_, response) => {
      const { entry } = await chat(model, response);

      expect(entry).toMatchObject({ outcome: 'client_closed', status: 499, overhead_ms: beforeMs });
    },
  );

  it.each<[string, Step]>([
    ['the caller disconnects', disconnect],
    ['the provider times out', timeOut],
    ['the provider closes the connection', truncate],
  ])('does not change when %s after the first event', async (_, failure) => {
    const { entry } = await chat(model, { headers: stream, body: [5000, firstEvent, 700, failure] });

    expect(entry).toMatchObject({ status: 200, overhead_ms: beforeMs + translateMs });
  });

  it('is null when no provider is called', async () => {
    const { entry } = await chat('nosuch/model');

    expect(entry).toMatchObject({ outcome: 'rejected', overhead_ms: null });
  });

  it('never includes the time in which the provider sends its response', async () => {
    const streamed = { headers: stream, text: comment + firstEvent + lastEvent + doneEvent };
    const complete = { headers: { 'content-type': 'application/json' }, text: completion };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(streamed, complete),
        fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 60 }), delayMs: fc.nat(9999) })),
        fc.nat(9999),
        async ({ headers, text }, splits, headMs) => {
          const bytes = Buffer.from(text);
          let start = 0;
          const chunks = splits.flatMap((split): Step[] => {
            const chunk = bytes.subarray(start, start + split.bytes);
            start += chunk.length;
            return chunk.length === 0 ? [split.delayMs] : [split.delayMs, chunk];
          });

          const { entry } = await chat(model, { headers, headMs, body: [...chunks, bytes.subarray(start)] });

          expect(entry).toMatchObject({ outcome: 'completed', overhead_ms: beforeMs + translateMs });
        },
      ),
    );
  });

  it('is the whole latency so far in the entry of an interrupted request', async () => {
    const { placeholders } = await chat(model, {
      headMs: 100,
      headers: stream,
      body: [lastEvent, doneEvent],
    });

    expect(placeholders).toEqual([
      expect.objectContaining({
        outcome: 'interrupted',
        error_code: 'interrupted',
        latency_ms: authenticateMs + prepareMs,
        overhead_ms: authenticateMs + prepareMs,
      }),
    ]);
  });
});
