import { describe, expect, it } from 'vitest';
import {
  dimensions,
  periodsOf,
  rollupKeysOf,
  rollupOf,
  writeShardCount,
  writeShardOf,
} from '#lambdas/costs/rollups/rollup.ts';
import { generationsAt } from '#lambdas/costs/rollups/state.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';

const receivedAtMs = Date.UTC(2026, 0, 31, 9, 30, 59, 999);

describe('rollupKeysOf', () => {
  it('returns totals by minute, hour, day and month, and rows of the API key by hour, day and month', () => {
    const entry = logEntry({ id: createLogId(receivedAtMs, 21) });
    const keys = rollupKeysOf(entry).map(({ dimension, period, writeShard, periodStart, value }) => [
      dimension,
      period,
      writeShard,
      periodStart,
      value,
    ]);
    expect(keys).toEqual([
      ['model', 'month', 2, '2026-01', null],
      ['model', 'day', 2, '2026-01-31', null],
      ['model', 'hour', 2, '2026-01-31T09', null],
      ['model', 'minute', 2, '2026-01-31T09:30', null],
      ['api_key', 'month', 21, '2026-01', 'key_AAAAAAAAAAAAAAAA'],
      ['api_key', 'day', 21, '2026-01-31', 'key_AAAAAAAAAAAAAAAA'],
      ['api_key', 'hour', 21, '2026-01-31T09', 'key_AAAAAAAAAAAAAAAA'],
    ]);
    expect(
      new Set(
        rollupKeysOf(entry).map(({ organizationId, provider, serviceTier, model }) =>
          [organizationId, provider, serviceTier, model].join(' '),
        ),
      ),
    ).toEqual(new Set(['org_AAAAAAAAAAAAAAAA openai default gpt-4o']));
  });

  it('returns three more rows for each metadata header', () => {
    const entry = logEntry({ prompt_id: 'p', session_id: 's', user_id: 'u' });
    const groups = rollupKeysOf(entry).filter(({ dimension }) => !['model', 'api_key'].includes(dimension));
    expect(groups.map(({ dimension, period, value }) => `${dimension} ${period} ${value}`)).toEqual([
      ...['month', 'day', 'hour'].map((period) => `prompt_id ${period} p`),
      ...['month', 'day', 'hour'].map((period) => `session_id ${period} s`),
      ...['month', 'day', 'hour'].map((period) => `user_id ${period} u`),
    ]);
  });

  it('returns no rows when no provider was called', () => {
    expect(rollupKeysOf(logEntry({ outcome: 'rejected' }))).toEqual([]);
    expect(rollupKeysOf(logEntry({ model: null }))).toEqual([]);
    expect(rollupKeysOf(logEntry({ provider: null }))).toEqual([]);
  });
});

describe('rollupOf', () => {
  it('returns one request with its cost and tokens', () => {
    const entry = logEntry({
      id: createLogId(receivedAtMs),
      pricing: 'unknown',
      cost_usd: '0',
      user_id: 'ada',
    });
    expect(rollupOf(entry, 'user_id')).toEqual({
      startMs: receivedAtMs,
      provider: 'openai',
      serviceTier: 'default',
      model: 'gpt-4o',
      value: 'ada',
      totals: {
        ...noTotals,
        ...{ requests: 1, input_tokens: 1200, output_tokens: 300, unpriced_requests: 1 },
      },
    });
    expect(rollupOf(entry, 'model')?.value).toBeNull();
    expect(rollupOf(entry, 'session_id')).toBeNull();
  });

  it('returns a request without tokens when the provider failed', () => {
    const failed = logEntry({
      outcome: 'provider_error',
      input_tokens: null,
      output_tokens: null,
      cost_usd: '0',
    });
    expect(rollupOf(failed, 'model')?.totals).toEqual({ ...noTotals, requests: 1 });
  });

  it('returns the cost of a request with an assumed price also as assumed', () => {
    const { totals } = rollupOf(logEntry({ pricing: 'assumed', cost_usd: '0.25' }), 'model') ?? {};
    expect(totals).toMatchObject({ cost_usd: '0.25', assumed_requests: 1, assumed_cost_usd: '0.25' });
  });
});

describe('writeShardCount', () => {
  it('returns the number of write shards for a number of log shards', () => {
    expect(writeShardCount('model', 1)).toBe(1);
    expect(writeShardCount('model', 8)).toBe(1);
    expect(writeShardCount('model', 9)).toBe(2);
    expect(writeShardCount('model', 256)).toBe(32);
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
    expect(periodsOf('model')).toEqual(['month', 'day', 'hour', 'minute']);
    expect(periodsOf('user_id')).toEqual(['month', 'day', 'hour']);
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
