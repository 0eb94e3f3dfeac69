import { afterEach, describe, expect, it, vi } from 'vitest';
import { createJsonService, type JsonService } from '#lambdas/platform/aws/json-client.ts';
import { toGatewayError } from '#lambdas/platform/http/error-response.ts';
import {
  awsAccessAt,
  closeConnection,
  respondWith,
  sendRaw,
  startScriptedService,
} from '#test/support/aws/scripted-service.ts';
import { startSilentService } from '#test/support/http/silent-service.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function serviceAt(endpoint: string, now = () => new Date()): JsonService {
  return createJsonService({ service: 'dynamodb', access: awsAccessAt(endpoint), now });
}

const failureOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);

describe('Services that do not respond', () => {
  it.each([
    ['no response', {}],
    ['no complete response', { begins: true }],
    ['a protocol upgrade instead of a response', { upgrades: true }],
  ])('rejects with TimeoutError after three attempts of 1.5 seconds with %s', async (_, behaviour) => {
    recordLogLines();
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const service = await startSilentService(behaviour);
    cleanups.push(service.stop);
    const failure = await failureOf(serviceAt(service.endpoint).call('GetItem', {}));

    expect(failure).toMatchObject({ name: 'TimeoutError', $metadata: {} });
    expect(toGatewayError(failure)).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(service.requests()).toBe(3);
    expect(Date.now()).toBeGreaterThanOrEqual(4500);
    expect(Date.now()).toBeLessThan(5000);
  });

  it('limits all attempts together to the timeout of the call', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const service = await startSilentService();
    cleanups.push(service.stop);
    const failure = await failureOf(serviceAt(service.endpoint).call('PutItem', {}, 2000));

    expect(failure).toMatchObject({ name: 'TimeoutError' });
    expect(service.requests()).toBe(2);
    expect(Date.now()).toBeGreaterThanOrEqual(2000);
    expect(Date.now()).toBeLessThan(2500);
  });

  it('rejects with the last error when the retry delay would exceed the timeout', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const service = await startScriptedService(respondWith(500, '{"__type":"InternalServerError"}'));
    cleanups.push(service.stop);
    const now = () => new Date(0);
    const failure = await failureOf(serviceAt(service.endpoint, now).call('PutItem', {}, 150));

    expect(failure).toMatchObject({ name: 'InternalServerError' });
    expect(service.requests).toHaveLength(2);
  });

  it.each([0, -1])('sends no request when the timeout is %d ms', async (timeoutMs) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    cleanups.push(() => process.off('warning', onWarning));
    const service = await startScriptedService(respondWith(200, '{}'));
    cleanups.push(service.stop);
    const failure = await failureOf(serviceAt(service.endpoint).call('PutItem', {}, timeoutMs));

    expect(failure).toMatchObject({ name: 'TimeoutError', $metadata: {} });
    expect([service.requests, warnings]).toEqual([[], []]);
  });
});

describe('Timers of a call', () => {
  it('does not count time in which Lambda freezes the function towards the timeout', async () => {
    let nowMs = 0;
    const service = await startScriptedService(
      (_, socket) => {
        // The function is frozen for an hour between two invocations, while a call of the first one is pending.
        nowMs += 3_600_000;
        socket.destroy();
      },
      respondWith(200, '{"ok":true}'),
    );
    cleanups.push(service.stop);
    const call = serviceAt(service.endpoint, () => new Date(nowMs)).call('GetSecretValue', {}, 5000);

    expect(await call).toEqual({ ok: true });
  });

  it.each([
    ['a response', 1, respondWith(200, '{}')],
    ['an error response', 1, respondWith(400, '{}')],
    ['closed connections', 3, closeConnection],
    ['truncated responses', 3, sendRaw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')],
  ])('clears its timers after %s', async (_, attempts, turn) => {
    const service = await startScriptedService(turn);
    cleanups.push(service.stop);
    const set = vi.spyOn(globalThis, 'setTimeout');
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    await failureOf(serviceAt(service.endpoint).call('GetItem', {}));
    const timeouts = set.mock.results.filter((_, index) => set.mock.calls[index]?.[1] === 1500);
    const clearedTimers = new Set<unknown>(cleared.mock.calls.map(([timer]) => timer));

    expect(timeouts).toHaveLength(attempts);
    expect(timeouts.filter(({ value }) => !clearedTimers.has(value))).toEqual([]);
  });
});
