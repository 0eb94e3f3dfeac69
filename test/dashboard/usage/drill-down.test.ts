import { describe, expect, it } from 'vitest';
import { entriesKept, filtersOfSelection, logsSearch, onlySearch } from '#dashboard/usage/drill-down.ts';
import type { UsageSearch } from '#dashboard/usage/search.ts';

const user = { kind: 'group', group: 'user_id', value: 'ada' } as const;
const model = { kind: 'group', group: 'model', value: 'gpt-4o' } as const;

describe('A drill-down', () => {
  it('shows one user by model, and one model of this user without groups', () => {
    const search: UsageSearch = {
      range: '7d',
      metric: 'cost',
      group: 'user_id',
      point: '2026-11-17',
      series: 'ada',
    };
    expect(onlySearch(search, {}, user)).toEqual({
      range: '7d',
      metric: 'cost',
      group: 'model',
      user_id: 'ada',
      point: undefined,
      series: undefined,
    });
    expect(onlySearch({}, { user_id: 'ada' }, model)).toMatchObject({
      model: 'gpt-4o',
      user_id: 'ada',
      group: 'none',
    });
    expect(onlySearch({}, {}, model)).toMatchObject({ model: 'gpt-4o', group: 'api_key' });
    const embeddings = { kind: 'group', group: 'operation', value: 'embeddings' } as const;
    expect(onlySearch({}, { user_id: 'ada' }, embeddings)).toMatchObject({
      operation: 'embeddings',
      user_id: 'ada',
      group: 'model',
    });
  });

  it('replaces a filter that excludes the new one', () => {
    expect(filtersOfSelection({ provider: 'openai', api_key_id: 'key_1' }, user)).toEqual({
      provider: 'openai',
      api_key_id: undefined,
      user_id: 'ada',
    });
  });

  it('leads nowhere from requests without a value, and from the rest', () => {
    expect(filtersOfSelection({}, { ...user, value: null })).toBeNull();
    expect(filtersOfSelection({}, { kind: 'other' })).toBeNull();
    expect(onlySearch({}, {}, { kind: 'all' })).toBeNull();
  });

  it('leads to the logs of the period, or of the whole range', () => {
    const range = { range: '30d', time_zone: 'Europe/Berlin' } as const;
    const period = { start: '2026-11-16T23:00:00.000Z', end: '2026-11-17T23:00:00.000Z' };
    expect(logsSearch(range, { model: 'gpt-4o' }, period)).toEqual({
      ...period,
      time_zone: 'Europe/Berlin',
      model: 'gpt-4o',
    });
    expect(logsSearch(range, { error_code: 'provider:503' }, null)).toEqual({
      ...range,
      error_code: 'provider:503',
    });
  });
});

describe('entriesKept', () => {
  const now = new Date('2026-11-23T12:00:00Z');
  const kept = (start: string | null, end: string | null) => entriesKept({ start, end }, 30, now);

  it('tells whether the entries of a period have expired', () => {
    expect(kept('2026-10-24T12:00:00Z', null)).toBe('all');
    expect(kept('2026-10-24T00:00:00Z', '2026-10-25T00:00:00Z')).toBe('some');
    expect(kept('2026-10-01T00:00:00Z', '2026-10-24T12:00:00Z')).toBe('none');
    expect(kept(null, null)).toBe('some');
  });
});
