/** How long a call waits for a service that takes its time. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createJsonService, type JsonService } from '#lambdas/platform/aws/json-client.ts';
import { asGatewayError } from '#lambdas/platform/http/error-response.ts';
import { accessTo, answer, hangUp, raw, startScriptedService } from '#test/support/scripted-service.ts';
import { startSilentService } from '#test/support/silent-service.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function serviceAt(endpoint: string, now = () => new Date()): JsonService {
  return createJsonService({ service: 'dynamodb', access: accessTo(endpoint), now });
}

const failureOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);

describe('a service that does not answer', () => {
  it.each([
    ['at all', {}],
    ['to the end', { begins: true }],
    ['in HTTP', { upgrades: true }],
  ])('%s has a second and a half, three times', async (_, behaviour) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const service = await startSilentService(behaviour);
    cleanups.push(service.stop);
    const failure = await failureOf(serviceAt(service.endpoint).call('GetItem', {}));

    expect(failure).toMatchObject({ name: 'TimeoutError', $metadata: {} });
    expect(asGatewayError(failure)).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(service.requests()).toBe(3);
    expect(Date.now()).toBeGreaterThanOrEqual(4500);
    expect(Date.now()).toBeLessThan(5000);
  });

  it('has no longer than it is given, all times together', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const service = await startSilentService();
    cleanups.push(service.stop);
    const failure = await failureOf(serviceAt(service.endpoint).call('PutItem', {}, 2000));

    expect(failure).toMatchObject({ name: 'TimeoutError' });
    expect(service.requests()).toBe(2);
    expect(Date.now()).toBeGreaterThanOrEqual(2000);
    expect(Date.now()).toBeLessThan(2500);
  });

  it('is asked no more when the time would be over after the wait, and what it said is told', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const service = await startScriptedService(answer(500, '{"__type":"InternalServerError"}'));
    cleanups.push(service.stop);
    const now = () => new Date(0);
    const failure = await failureOf(serviceAt(service.endpoint, now).call('PutItem', {}, 150));

    expect(failure).toMatchObject({ name: 'InternalServerError' });
    expect(service.requests).toHaveLength(2);
  });

  it.each([0, -1])('is not asked within %d ms', async (timeoutMs) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    cleanups.push(() => process.off('warning', onWarning));
    const service = await startScriptedService(answer(200, '{}'));
    cleanups.push(service.stop);
    const failure = await failureOf(serviceAt(service.endpoint).call('PutItem', {}, timeoutMs));

    expect(failure).toMatchObject({ name: 'TimeoutError', $metadata: {} });
    expect([service.requests, warnings]).toEqual([[], []]);
  });
});

describe('the time of a call', () => {
  it('does not pass while its function is frozen', async () => {
    let nowMs = 0;
    const service = await startScriptedService(
      (_, socket) => {
        // An hour between two requests: the call was begun in the first, and nobody waits for it any more.
        nowMs += 3_600_000;
        socket.destroy();
      },
      answer(200, '{"ok":true}'),
    );
    cleanups.push(service.stop);
    const call = serviceAt(service.endpoint, () => new Date(nowMs)).call('GetSecretValue', {}, 5000);

    expect(await call).toEqual({ ok: true });
  });

  it.each([
    ['it has an answer', 1, answer(200, '{}')],
    ['it is refused', 1, answer(400, '{}')],
    ['it has none', 3, hangUp],
    ['it has half of one', 3, raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')],
  ])('is not watched any more when %s', async (_, attempts, turn) => {
    const service = await startScriptedService(turn);
    cleanups.push(service.stop);
    const set = vi.spyOn(globalThis, 'setTimeout');
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    await failureOf(serviceAt(service.endpoint).call('GetItem', {}));
    const watching = set.mock.results.filter((_, index) => set.mock.calls[index]?.[1] === 1500);
    const stopped = new Set<unknown>(cleared.mock.calls.map(([timer]) => timer));

    expect(watching).toHaveLength(attempts);
    expect(watching.filter(({ value }) => !stopped.has(value))).toEqual([]);
  });
});
