/** Tests the conditions of a retry; `retries.test.ts` covers the retries themselves. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { chatLimits, defaultChatLimits } from '#lambdas/inference/exchange/limits.ts';
import { retryWaitMs, send } from '#lambdas/inference/exchange/send.ts';
import type { HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { ConnectError } from '#lambdas/inference/providers/http/connection-errors.ts';
import { completionProtocolOf } from '#lambdas/inference/providers/protocols.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { readChunks } from '#test/support/http/read-chunks.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';

const error = new GatewayError('rate_limit_exceeded', { message: 'Slow down' });
const limits = { retryAfterMs: 2000 };

describe('retryWaitMs', () => {
  it.each<[number | null, number | null, number | null]>([
    [429, 0, 0],
    [429, 2000, 2000],
    [429, 2001, null],
    [429, null, null],
    [503, 0, 0],
    [400, 0, null],
    [401, 0, null],
    [500, 0, null],
    [502, 0, null],
    [504, 0, null],
    [529, 0, null],
    [null, 0, null],
  ])('maps status %j with a retry-after of %j ms to a delay of %j ms', (status, retryAfterMs, wait) => {
    expect(retryWaitMs({ status, error, retryAfterMs }, limits)).toBe(wait);
  });

  it.each([
    'insufficient_quota',
    'exceeded_current_quota_error',
    'billing_hard_limit_reached',
    'CREDIT_LIMIT',
  ])('returns null for an exhausted account: %s', (providerCode) => {
    const exhausted = new GatewayError('rate_limit_exceeded', { message: 'No', providerCode });
    expect(retryWaitMs({ status: 429, error: exhausted, retryAfterMs: 0 }, limits)).toBeNull();
  });

  it('returns the delay of a ConnectError regardless of the limit', () => {
    const refused = new ConnectError(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 100);
    expect(retryWaitMs({ status: null, error: refused, retryAfterMs: null }, { retryAfterMs: 0 })).toBe(100);
  });
});

describe('send', () => {
  it.each([
    [429, 'Slow down'],
    [400, 'Unknown field: stream_options'],
  ])('sends the request again after a %i only if nothing was sent to the caller', async (status, message) => {
    const attempts = async (isStarted: boolean) => {
      let count = 0;
      const transport: HttpTransport = async () => {
        count += 1;
        const body = Buffer.from(JSON.stringify({ error: { message } }));
        return { status, headers: { 'retry-after': '0' }, read: readChunks([body]) };
      };
      const connection = new PassThrough();
      const response = createResponseSink(connection, () => connection);
      if (isStarted) response.start(200, {});
      const { provider } = createProviderRegistry({}, exampleClientOptions).resolve('openai/gpt-4o');
      const dependencies = {
        transport,
        credentials: { refresh: async () => null },
        limits: chatLimits(defaultChatLimits, { flushMs: 0 }),
        now: () => new Date(),
      };
      const incoming = {
        request: { method: 'POST', path: '/', headers: {}, readQuery: () => ({}), readBody: () => '' },
        response,
        deadlineMs: Date.now() + 60_000,
        signal: new AbortController().signal,
      };
      const call = providerCall({ stream: true });
      await send(dependencies, incoming, provider, await completionProtocolOf(provider)(call));
      return count;
    };

    expect([await attempts(false), await attempts(true)]).toEqual([2, 1]);
  });
});
