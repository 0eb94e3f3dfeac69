import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyRevocationDelayMs } from '#lambdas/access/key-lookup.ts';
import type { CanaryKey } from '#lambdas/canary/key.ts';
import { createCanary } from '#lambdas/canary/run.ts';
import { errorBody, type FakeGateway, fakeModel, startFakeGateway } from '#test/support/fake-gateway.ts';
import { collectLogLines, type LogLine, withoutCommonFields } from '#test/support/log-lines.ts';

const passed = { level: 'INFO', event: 'canary_run', check: null, error: null };
const anyDuration = { duration_ms: expect.any(Number) };

describe('A run of the canary', () => {
  let restApi: FakeGateway;
  let functionUrl: FakeGateway;
  let lines: LogLine[];
  let unexpected: unknown[];
  let nowMs: number;
  beforeEach(async () => {
    restApi = await startFakeGateway('');
    functionUrl = await startFakeGateway('');
    lines = [];
    unexpected = [];
    nowMs = Date.parse('2026-03-01T12:00:00.000Z');
  });
  afterEach(async () => {
    await restApi.stop();
    await functionUrl.stop();
  });

  /** Accepted by both endpoints until it is deleted. */
  const createKey = (key: string) => async (): Promise<CanaryKey> => {
    const endpoints = [restApi, functionUrl];
    for (const { apiKeys } of endpoints) apiKeys.add(key);
    return {
      key,
      async delete() {
        for (const { apiKeys } of endpoints) apiKeys.delete(key);
      },
    };
  };

  const startCanary = (model: string | null = null) =>
    createCanary({
      apiBaseUrl: restApi.baseUrl,
      functionUrl: functionUrl.baseUrl,
      model,
      log: collectLogLines((line) => lines.push(withoutCommonFields(JSON.parse(line)))),
      logUnexpected: (error) => unexpected.push(error),
      clock: { now: () => nowMs, wait: async () => {} },
    });

  it('checks both endpoints with a new key, and prints a line for each with one metric', async () => {
    await startCanary(fakeModel)(createKey('pt_live_first'));

    expect(lines).toEqual([
      { ...passed, ...anyDuration, endpoint: 'rest_api' },
      { ...passed, ...anyDuration, endpoint: 'function_url', CanaryFailures: 0 },
    ]);
    expect(restApi.requests).toContain('completion');
    expect(functionUrl.requests).toEqual(['unknown key', 'unknown model', 'stream test', 'completion']);
    expect(restApi.apiKeys).not.toContain('pt_live_first');
  });

  it('calls no model without one', async () => {
    await startCanary()(createKey('pt_live_first'));

    const requests = ['unknown key', 'unknown model', 'stream test'];
    expect([restApi.requests, functionUrl.requests]).toEqual([requests, requests]);
    expect(lines.at(-1)).toMatchObject({ CanaryFailures: 0 });
  });

  it('counts as one failure, with the first check of each endpoint that failed', async () => {
    const error = { status: 500, body: errorBody('internal_error', 'api_error') };
    restApi.replace('unknown key', error);
    restApi.replace('unknown model', error);
    functionUrl.replace('unknown model', error);

    await startCanary()(createKey('pt_live_first'));

    const failed = { level: 'ERROR', event: 'canary_run', ...anyDuration };
    expect(lines).toEqual([
      {
        ...failed,
        endpoint: 'rest_api',
        check: 'unknown_key_refused',
        error: 'Expected 401 invalid_api_key, got 500 internal_error',
      },
      {
        ...failed,
        endpoint: 'function_url',
        check: 'unknown_model_refused',
        error: 'Expected 400 model_not_found, got 500 internal_error',
        CanaryFailures: 1,
      },
    ]);
  });

  it('checks the deleted key of the run before, once no function may have it in its cache', async () => {
    const runCanary = startCanary();
    await runCanary(createKey('pt_live_first'));
    nowMs += keyRevocationDelayMs;
    await runCanary(createKey('pt_live_second'));
    expect(restApi.requests.filter((request) => request === 'unknown key')).toHaveLength(2);

    nowMs += keyRevocationDelayMs + 5001;
    functionUrl.apiKeys.add('pt_live_second');
    await runCanary(createKey('pt_live_third'));

    expect(restApi.requests.filter((request) => request === 'unknown key')).toHaveLength(4);
    expect(lines.slice(-2)).toMatchObject([
      { endpoint: 'rest_api', error: null },
      { endpoint: 'function_url', check: 'deleted_key_refused', CanaryFailures: 1 },
    ]);
  });

  it('fails without a key, or if the key cannot be deleted, with the name of the error only', async () => {
    const error = new RangeError('pt_live_first');
    const refuse = async () => Promise.reject(error);
    await startCanary()(refuse);
    await startCanary()(async () => ({ ...(await createKey('pt_live_second')()), delete: refuse }));

    const failed = (endpoint: string, check: string, error: string) => ({
      level: 'ERROR',
      event: 'canary_run',
      endpoint,
      check,
      error,
      ...anyDuration,
    });
    const notCreated = ['key_created', 'The key was not created: RangeError'] as const;
    const notDeleted = ['key_deleted', 'The key was not deleted: RangeError'] as const;
    expect(lines).toEqual([
      failed('rest_api', ...notCreated),
      { ...failed('function_url', ...notCreated), CanaryFailures: 1 },
      failed('rest_api', ...notDeleted),
      { ...failed('function_url', ...notDeleted), CanaryFailures: 1 },
    ]);
    expect(unexpected).toEqual([error, error]);
  });
});
