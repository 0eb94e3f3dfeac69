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
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';

const receivedAtMs = Date.UTC(2026, 0, 31, 9, 30, 59, 999);

describe('the rows of an entry', () => {
  it('are its totals by the minute, hour, day and month, and those of its key from the hour on', () => {
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
        rollupKeysOf(entry).map(({ organizationId, provider, model }) =>
          [organizationId, provider, model].join(' '),
        ),
      ),
    ).toEqual(new Set(['org_AAAAAAAAAAAAAAAA openai gpt-4o']));
  });

  it('are three more for each header that the request had', () => {
    const entry = logEntry({ prompt_id: 'p', session_id: 's', user_id: 'u' });
    const groups = rollupKeysOf(entry).filter(({ dimension }) => !['model', 'api_key'].includes(dimension));
    expect(groups.map(({ dimension, period, value }) => `${dimension} ${period} ${value}`)).toEqual([
      ...['month', 'day', 'hour'].map((period) => `prompt_id ${period} p`),
      ...['month', 'day', 'hour'].map((period) => `session_id ${period} s`),
      ...['month', 'day', 'hour'].map((period) => `user_id ${period} u`),
    ]);
  });

  it('are none when no provider was called', () => {
    expect(rollupKeysOf(logEntry({ outcome: 'rejected' }))).toEqual([]);
    expect(rollupKeysOf(logEntry({ model: null }))).toEqual([]);
    expect(rollupKeysOf(logEntry({ provider: null }))).toEqual([]);
  });
});

describe('what an entry adds', () => {
  it('is one request, its cost and its tokens', () => {
    const entry = logEntry({
      id: createLogId(receivedAtMs),
      pricing: 'unknown',
      cost_usd: '0',
      user_id: 'ada',
    });
    expect(rollupOf(entry, 'user_id')).toEqual({
      startMs: receivedAtMs,
      provider: 'openai',
      model: 'gpt-4o',
      value: 'ada',
      totals: { requests: 1, cost_usd: '0', input_tokens: 1200, output_tokens: 300, unpriced_requests: 1 },
    });
    expect(rollupOf(entry, 'model')?.value).toBeNull();
    expect(rollupOf(entry, 'session_id')).toBeNull();
  });

  it('is a request without tokens when the provider failed', () => {
    const failed = logEntry({
      outcome: 'provider_error',
      input_tokens: null,
      output_tokens: null,
      cost_usd: '0',
    });
    expect(rollupOf(failed, 'model')?.totals).toEqual({
      requests: 1,
      cost_usd: '0',
      input_tokens: 0,
      output_tokens: 0,
      unpriced_requests: 0,
    });
  });
});

describe('writeShards', () => {
  it('are as many as the highest shard needs', () => {
    expect(writeShardCount('model', 1)).toBe(1);
    expect(writeShardCount('model', 8)).toBe(1);
    expect(writeShardCount('model', 9)).toBe(2);
    expect(writeShardCount('model', 256)).toBe(32);
    expect(writeShardCount('session_id', 1)).toBe(1);
    expect(writeShardCount('session_id', 256)).toBe(256);
  });

  it('are read for every shard', () => {
    for (const dimension of dimensions)
      for (const logShards of [1, 2, 7, 8, 9, 100, 256])
        expect(writeShardOf(dimension, logShards - 1)).toBe(writeShardCount(dimension, logShards) - 1);
  });

  it('keep a minute for totals alone', () => {
    expect(periodsOf('model')).toEqual(['month', 'day', 'hour', 'minute']);
    expect(periodsOf('user_id')).toEqual(['month', 'day', 'hour']);
  });
});

describe('the generations of a change', () => {
  it('are the one that is read, and the one that is built if it was written since', () => {
    const state = { generation: 3, cutoverMs: 0, rebuild: { generation: 4, cutoverMs: 1000 } };
    expect(generationsAt(state, 999)).toEqual([3]);
    expect(generationsAt(state, 1000)).toEqual([3, 4]);
  });

  it('leave out one that was built of the entries, if it was written before', () => {
    const state = { generation: 4, cutoverMs: 1000, rebuild: null };
    expect(generationsAt(state, 999)).toEqual([]);
    expect(generationsAt(state, 1000)).toEqual([4]);
  });
});
