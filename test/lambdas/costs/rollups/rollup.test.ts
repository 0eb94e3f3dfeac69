import { describe, expect, it } from 'vitest';
import {
  additionsOf,
  dimensions,
  periodsOf,
  rollupOf,
  writeShardCount,
  writeShardOf,
} from '#lambdas/costs/rollups/rollup.ts';
import { generationsAt } from '#lambdas/costs/rollups/state.ts';
import { entryTotals, noTotals } from '#lambdas/costs/rollups/totals.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';

const receivedAtMs = Date.UTC(2026, 0, 31, 9, 30, 59, 999);

const keysOf = (entry: LogEntry) => additionsOf(entry).map(({ key }) => key);

describe('additionsOf', () => {
  it('returns totals by minute, hour, day and month, and rows of the API key by hour, day and month', () => {
    const entry = logEntry({ id: createLogId(receivedAtMs, 21) });
    const keys = keysOf(entry).map(({ dimension, period, writeShard, periodStart, value }) => [
      dimension,
      period,
      writeShard,
      periodStart,
      value,
    ]);
    expect(keys).toEqual([
      ['totals', 'month', 2, '2026-01', null],
      ['totals', 'day', 2, '2026-01-31', null],
      ['totals', 'hour', 2, '2026-01-31T09', null],
      ['totals', 'minute', 2, '2026-01-31T09:30', null],
      ['api_key', 'month', 21, '2026-01', 'key_AAAAAAAAAAAAAAAA'],
      ['api_key', 'day', 21, '2026-01-31', 'key_AAAAAAAAAAAAAAAA'],
      ['api_key', 'hour', 21, '2026-01-31T09', 'key_AAAAAAAAAAAAAAAA'],
    ]);
    expect(
      new Set(
        keysOf(entry).map(({ organizationId, provider, serviceTier, model }) =>
          [organizationId, provider, serviceTier, model].join(' '),
        ),
      ),
    ).toEqual(new Set(['org_AAAAAAAAAAAAAAAA openai default gpt-4o']));
  });

  it('returns three more rows for each metadata header', () => {
    const entry = logEntry({ prompt_id: 'p', session_id: 's', user_id: 'u' });
    const groups = keysOf(entry).filter(({ dimension }) => !['totals', 'api_key'].includes(dimension));
    expect(groups.map(({ dimension, period, value }) => `${dimension} ${period} ${value}`)).toEqual([
      ...['month', 'day', 'hour'].map((period) => `prompt_id ${period} p`),
      ...['month', 'day', 'hour'].map((period) => `session_id ${period} s`),
      ...['month', 'day', 'hour'].map((period) => `user_id ${period} u`),
    ]);
  });

  it('returns three more rows for a route, without histograms', () => {
    const groups = additionsOf(logEntry({ route: 'fast' })).filter(({ key }) => key.dimension === 'route');
    expect(
      groups.map(({ key, totals }) => [key.period, key.value, totals.requests, totals.histograms]),
    ).toEqual(['month', 'day', 'hour'].map((period) => [period, 'fast', 1, {}]));
  });

  it('counts the cost of an attempt, but no request, no outcome and no duration', () => {
    const superseded: Partial<LogEntry> = {
      outcome: 'timeout',
      error_code: 'provider_timeout',
      route: 'fast',
      superseded_by: createLogId(receivedAtMs),
    };
    const sums = {
      ...noTotals,
      fallback_attempts: 1,
      cost_usd: '0.00472',
      input_tokens: 1200,
      output_tokens: 300,
      cached_input_tokens: 1024,
      reasoning_tokens: 128,
    };
    const totalsOf = (fields: Partial<LogEntry>) =>
      additionsOf(logEntry({ ...superseded, ...fields })).map(({ totals }) => totals);

    // Four of the totals, three by key, three by route, two by error.
    expect(totalsOf({})).toEqual(Array(12).fill(sums));
    expect(totalsOf({ pricing: 'assumed' })[0]).toEqual({ ...sums, assumed_cost_usd: '0.00472' });
    expect(totalsOf({ usage_source: 'estimated' })[0]).toEqual({ ...sums, estimated_cost_usd: '0.00472' });
    expect(totalsOf({ pricing: 'unknown', cost_usd: '0' })[0]).toEqual({ ...sums, cost_usd: '0' });
  });

  it('returns two more rows for an error: by hour and day, under the code that it is counted under', () => {
    const failed = { outcome: 'provider_error', status: 502, error_code: 'weird', stream: true } as const;
    const rows = additionsOf(logEntry({ ...failed, id: createLogId(receivedAtMs) })).slice(-2);
    expect(rows.map(({ key }) => [key.dimension, key.period, key.periodStart, key.value])).toEqual([
      ['error_code', 'day', '2026-01-31', 'provider:502'],
      ['error_code', 'hour', '2026-01-31T09', 'provider:502'],
    ]);
    for (const { totals } of rows)
      expect(totals).toMatchObject({ requests: 1, provider_error_requests: 1, histograms: {} });
  });

  it('counts the requests that a refused entry stands for, in each of its rows', () => {
    const refused = { outcome: 'rejected', status: 429, error_code: 'rate_limit_exceeded' } as const;
    const countsOf = (fields: Partial<LogEntry>) =>
      additionsOf(logEntry({ ...refused, ...fields })).map(({ totals }) => totals);
    const totals = (requests: number) => Array(9).fill({ ...noTotals, rejected_requests: requests });

    expect(countsOf({ refused_requests: 50 })).toEqual(totals(50));
    expect(countsOf({ refused_requests: null })).toEqual(totals(1));
    expect(countsOf({ outcome: 'completed', refused_requests: 50 })[0]).toMatchObject({
      requests: 1,
      rejected_requests: 0,
    });
  });

  it('returns the rows of a rejected request by time, key and error, of which only the last have its model', () => {
    const rejected = { outcome: 'rejected', status: 400, error_code: 'model_not_found' } as const;
    const unnamed = { ...rejected, operation: 'embeddings', provider: null, model: null } as const;
    const entries = [logEntry(rejected), logEntry(unnamed)];
    const names = entries.map((entry) =>
      additionsOf(entry).map(({ key, totals }) => [
        ...[key.dimension, key.period, key.value, key.provider, key.operation, key.serviceTier, key.model],
        totals,
      ]),
    );
    const totals = { ...noTotals, rejected_requests: 1 };
    const unnamedRows = (operation: string) => [
      ...['month', 'day', 'hour', 'minute'].map((period) => [
        ...['totals', period, null, '', operation, null, '', totals],
      ]),
      ...['month', 'day', 'hour'].map((period) => [
        ...['api_key', period, 'key_AAAAAAAAAAAAAAAA', '', operation, null, '', totals],
      ]),
    ];
    expect(names).toEqual([
      [
        ...unnamedRows('chat.completions'),
        ['error_code', 'day', 'model_not_found', 'openai', 'chat.completions', null, 'gpt-4o', totals],
        ['error_code', 'hour', 'model_not_found', 'openai', 'chat.completions', null, 'gpt-4o', totals],
      ],
      [
        ...unnamedRows('embeddings'),
        ['error_code', 'day', 'model_not_found', '', 'embeddings', null, '', totals],
        ['error_code', 'hour', 'model_not_found', '', 'embeddings', null, '', totals],
      ],
    ]);
  });
});

describe('rollupOf', () => {
  it('returns the sums of one request with its value', () => {
    const entry = logEntry({ id: createLogId(receivedAtMs), operation: 'embeddings', user_id: 'ada' });
    expect(rollupOf(entry, 'user_id')).toEqual({
      startMs: receivedAtMs,
      provider: 'openai',
      operation: 'embeddings',
      serviceTier: 'default',
      model: 'gpt-4o',
      value: 'ada',
      totals: entryTotals(entry, { withHistograms: false }),
    });
    expect(rollupOf(entry, 'totals')).toMatchObject({
      value: null,
      totals: entryTotals(entry, { withHistograms: true }),
    });
    expect(rollupOf(entry, 'session_id')).toBeNull();
  });
});

describe('writeShardCount', () => {
  it('returns the number of write shards for a number of log shards', () => {
    expect(writeShardCount('totals', 1)).toBe(1);
    expect(writeShardCount('totals', 8)).toBe(1);
    expect(writeShardCount('totals', 9)).toBe(2);
    expect(writeShardCount('totals', 256)).toBe(32);
    expect(writeShardCount('session_id', 1)).toBe(1);
    expect(writeShardCount('session_id', 256)).toBe(256);
  });

  it('includes the write shard of the last log shard in every dimension', () => {
    for (const dimension of dimensions)
      for (const logShards of [1, 2, 7, 8, 9, 100, 256])
        expect(writeShardOf(dimension, logShards - 1)).toBe(writeShardCount(dimension, logShards) - 1);
  });
});

describe('periodsOf', () => {
  it('includes minutes only for totals', () => {
    expect(periodsOf('totals')).toEqual(['month', 'day', 'hour', 'minute']);
    expect(periodsOf('user_id')).toEqual(['month', 'day', 'hour']);
    expect(periodsOf('error_code')).toEqual(['day', 'hour']);
  });
});

describe('generationsAt', () => {
  it('returns the active generation, and the one under construction for records after its cutover', () => {
    const state = { generation: 3, cutoverMs: 0, rebuild: { generation: 4, cutoverMs: 1000 } };
    expect(generationsAt(state, 999)).toEqual([3]);
    expect(generationsAt(state, 1000)).toEqual([3, 4]);
  });

  it('excludes a rebuilt generation for records before its cutover', () => {
    const state = { generation: 4, cutoverMs: 1000, rebuild: null };
    expect(generationsAt(state, 999)).toEqual([]);
    expect(generationsAt(state, 1000)).toEqual([4]);
  });
});
