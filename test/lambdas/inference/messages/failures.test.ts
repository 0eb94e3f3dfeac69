/** Requests of the Messages API that fail: whose words the caller gets, what is logged, and what stays reserved. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countsOf } from '#lambdas/costs/rollups/entry-metrics.ts';
import { remainingOf } from '#lambdas/limits/counters/counter.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import {
  exampleRequest,
  type NativeGateway,
  type NativeGateways,
  providerKey,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { anthropicEvent } from '#test/support/providers/anthropic/message-events.ts';
import {
  controlledStream,
  hangBeforeHeaders,
  jsonResponse,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

let gateways: NativeGateways;
let gateway: NativeGateway;
beforeAll(async () => {
  gateways = await startNativeGateways();
  gateway = await gateways.start();
});
afterAll(() => gateways.stop());

const streamed = { ...exampleRequest, stream: true };
const providerError = (type: string, message: string) =>
  `{ "type":"error", "error":{"type":"${type}","message":"${message}","details":{"x":1}}, "request_id":"req_9" }`;

describe("The gateway's own errors", () => {
  it.each<[number, string, object | string]>([
    [400, 'invalid_request_error', '{"model":'],
    [400, 'invalid_request_error', { ...exampleRequest, model: 'unknown/model' }],
    [400, 'invalid_request_error', { ...exampleRequest, messages: 'Hello' }],
    [400, 'invalid_request_error', { ...exampleRequest, stream: 'yes' }],
  ])('have status %i and the type %s for %j', async (expectedStatus, type, body) => {
    const { status, text, headers } = await gateway.handler.post(body);

    const entry = (await gateway.handler.entries()).at(-1);
    expect(status).toBe(expectedStatus);
    expect(JSON.parse(text)).toEqual({
      type: 'error',
      error: { type, message: expect.stringMatching(/model|messages|stream|JSON/) },
      request_id: entry?.id,
    });
    expect(headers['request-id']).toBe(entry?.id);
    expect(entry).toMatchObject({ outcome: 'rejected', operation: 'messages' });
  });

  it('name the operation that a provider does not have', async () => {
    const none = { 'chat.completions': false } as const;
    const { handler } = await gateways.start({
      settingsOf: (baseUrl) => ({ custom: { baseUrl, operations: none } }),
    });

    const { text } = await handler.post({ ...exampleRequest, model: 'custom/m' });

    expect(JSON.parse(text).error.message).toBe(
      'The provider custom does not have the operation messages; GET /ai/models lists the operations of each model',
    );
  });

  it("tell Anthropic's SDK that a conversation must be sent as a whole", async () => {
    const { handler } = await gateways.start({ settingsOf: (baseUrl) => ({ custom: { baseUrl } }) });

    const { status, text } = await handler.post({
      ...exampleRequest,
      model: 'custom/m',
      thread: { type: 'create' },
    });

    expect([status, JSON.parse(text).error]).toEqual([
      400,
      {
        type: 'invalid_request_error',
        message: 'thread is not supported by the provider custom',
        details: { error_code: 'thread_unsupported_request' },
      },
    ]);
  });

  it('are errors of authentication without a key', async () => {
    const { status, text, headers } = await gateway.handler.post(exampleRequest, {
      authorization: 'Bearer nothing',
    });

    expect(status).toBe(401);
    expect(JSON.parse(text)).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
    expect(headers['content-type']).toBe('application/json');
  });

  it.each([
    [jsonResponse('<html>Bad gateway</html>', { status: 502 }), 500, 'api_error'],
    [jsonResponse('<html>Busy</html>', { status: 503 }), 529, 'overloaded_error'],
    [jsonResponse({ message: 'Too many requests' }, { status: 429 }), 429, 'rate_limit_error'],
    [jsonResponse('', { status: 301 }), 500, 'api_error'],
  ])(
    'stand for failures of the provider that are not in its format: %#',
    async (respond, expectedStatus, type) => {
      const { status, text, entry } = await gateway.exchange(respond);

      expect([status, JSON.parse(text)]).toEqual([
        expectedStatus,
        { type: 'error', error: { type, message: expect.any(String) }, request_id: entry.id },
      ]);
      expect(entry.outcome).toBe('provider_error');
    },
  );

  it('tell that the provider took too long', async () => {
    const { handler, upstream } = await gateways.start({ limits: { firstByteMs: 20 } });
    upstream.script(hangBeforeHeaders);

    const { status, text } = await handler.post(exampleRequest);

    expect([status, JSON.parse(text).error.type]).toEqual([504, 'timeout_error']);
    expect(await handler.entries()).toMatchObject([{ outcome: 'timeout', status: 504 }]);
  });
});

describe("A provider's error", () => {
  it.each([
    [400, 'invalid_request_error', 'messages.1.content.0: Invalid `signature` in `thinking` block'],
    [404, 'not_found_error', 'model: claude-nothing'],
    [413, 'request_too_large', 'Prompt is too long'],
    [429, 'rate_limit_error', 'This request would exceed your rate limit'],
    [500, 'api_error', 'Internal server error'],
    [529, 'overloaded_error', 'Overloaded'],
  ])('passes unchanged: %i %s', async (expectedStatus, type, message) => {
    const body = providerError(type, message);
    const headers = { 'request-id': 'req_9', 'retry-after': '7', 'x-should-retry': 'true' };

    const response = await gateway.exchange(jsonResponse(body, { status: expectedStatus, headers }));

    expect([response.status, response.text]).toEqual([expectedStatus, body]);
    expect(response.headers).toMatchObject(headers);
    expect(response.entry).toMatchObject({
      outcome: 'provider_error',
      status: expectedStatus,
      cost_usd: '0',
    });
  });

  it('is without the credential, also within a stream', async () => {
    const body = providerError('invalid_request_error', `The key ${providerKey} may not do this`);
    const redacted = body.replace(providerKey, '*'.repeat(providerKey.length));

    const whole = await gateway.exchange(jsonResponse(body, { status: 400 }));
    const event = `event: error\ndata: ${body}\n\n`;
    const start = anthropicEvent({ type: 'message_start', message: { model: 'claude-opus-4-8' } });
    const inStream = await gateway.exchange(streamResponse([start, event]), streamed);

    expect(whole.text).toBe(redacted);
    expect(inStream.text).toBe(start + event.replace(body, redacted));
  });

  it.each([401, 403])('about the credential is the gateway’s: %i', async (providerStatus) => {
    const body = providerError('authentication_error', 'invalid x-api-key');

    const { status, text, headers } = await gateway.exchange(
      jsonResponse(body, { status: providerStatus, headers: { 'x-should-retry': 'true' } }),
    );

    expect(status).toBe(502);
    expect(headers['x-should-retry']).toBe('false');
    expect(JSON.parse(text).error).toEqual({
      type: 'api_error',
      message:
        "The provider anthropic rejected the gateway's credentials; the gateway's operator must replace them",
    });
  });

  it('is an event after a heartbeat has started the stream, which none does in the first second', async () => {
    const { handler, upstream } = await gateways.start({ limits: { heartbeatMs: 5 } });
    const body = providerError('overloaded_error', 'Overloaded');
    const late = controlledStream({ status: 529, headers: { 'content-type': 'application/json' } });
    upstream.script(late.respond);

    const sentAtMs = performance.now();
    const call = await handler.call(handler.event(streamed));
    // A timer may be early by a fraction of a millisecond.
    expect(performance.now() - sentAtMs).toBeGreaterThan(999);
    await late.write(body);
    await late.end();
    const text = (await Array.fromAsync(call.body)).join('');
    await call.invocation;

    expect(call.status).toBe(200);
    expect(text.replaceAll(': ping\n\n', '')).toBe(`event: error\ndata: ${body}\n\n`);
  });
});

it('Thirty failing attempts are thirty entries that cost nothing of what they reserved, and failures of the provider', async () => {
  const receivedAtMs = Date.UTC(2026, 10, 23, 12, 4);
  let atMs = receivedAtMs;
  const { exchange, handler, upstream } = await gateways.start({
    hardLimits: { key: { month: '5' } },
    dependencies: { now: () => new Date(atMs++) },
  });
  const attempts = Array.from({ length: 30 }, (_, attempt) =>
    attempt % 2 === 0
      ? jsonResponse(providerError('overloaded_error', 'Overloaded'), { status: 529 })
      : jsonResponse(providerError('api_error', 'Internal server error'), { status: 500 }),
  );

  for (const respond of attempts) await exchange(respond, streamed);

  const entries = await handler.entries();
  expect(upstream.requests).toHaveLength(30);
  expect(entries.map(({ cost_usd, usage_source }) => [cost_usd, usage_source])).toEqual(
    entries.map(() => ['0', 'missing']),
  );
  expect(entries.map(countsOf)).toEqual(
    Array.from({ length: 30 }, () => ({ Requests: 1, ProviderErrors: 1, ProviderErrorResponses: 1 })),
  );
  expect(handler.lines.filter(({ level }) => level === 'error')).toEqual([]);
  const reserved = entries.map(({ reserved_usd }) => reserved_usd ?? '0').reduce(addUsd);
  const counter = await handler.hardBudgets.findCounterItem('key');
  expect([reserved, counter && remainingOf(counter, '2026-11')]).toEqual(['0.88308', '5']);
});
