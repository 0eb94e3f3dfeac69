import { describe, expect, it } from 'vitest';
import { resolveRange } from '#dashboard/range/range.ts';
import type { UsageSearch } from '#dashboard/usage/search.ts';
import {
  costParameters,
  groupChoices,
  intervalChoices,
  metricChoices,
  usageSettings,
} from '#dashboard/usage/settings.ts';

const now = new Date('2026-11-23T12:00:00Z');

function view(search: UsageSearch) {
  const range = resolveRange(search, now);
  const settings = usageSettings(search, range);
  return { range, settings };
}

const impossible = (choices: readonly { value: string; reason: string | null }[]) =>
  choices.filter(({ reason }) => reason !== null).map(({ value }) => value);

describe('usageSettings', () => {
  it('shows the spend by model of each day unless the link says otherwise', () => {
    const { settings, range } = view({});
    expect(settings).toEqual({ metric: 'cost', group: 'model', interval: 'day', top: '8', filters: {} });
    expect(costParameters(settings, range)).toEqual({
      start: '2026-10-25',
      time_zone: undefined,
      group_by: 'model',
      limit: 8,
      interval: 'day',
    });
  });

  it('has up to a hundred groups in the table, of which the chart has eight', () => {
    const { settings, range } = view({ group: 'user_id', top: '100' });
    expect(costParameters(settings, range)).toMatchObject({ group_by: 'user_id', limit: 8 });
    expect(costParameters(settings, range, false)).toMatchObject({ group_by: 'user_id', limit: 100 });
  });

  it('shows the mean instead of percentiles that a group does not have', () => {
    expect(view({ metric: 'latency_p95', group: 'user_id' }).settings.metric).toBe('mean_latency');
    expect(view({ metric: 'latency_p95', user_id: 'ada' }).settings.metric).toBe('mean_latency');
    expect(view({ metric: 'latency_p95', prompt_id: 'welcome' }).settings.metric).toBe('latency_p95');
  });

  it('counts errors by code, whose spend and rate tell nothing', () => {
    expect(view({ group: 'error_code' }).settings.metric).toBe('errors');
    expect(view({ group: 'error_code', metric: 'error_rate' }).settings.metric).toBe('errors');
    expect(view({ error_code: 'timeout', metric: 'rejected' }).settings.metric).toBe('rejected');
    expect(view({ group: 'model', metric: 'rejected' }).settings.metric).toBe('errors');
    expect(view({ group: 'none', model: 'gpt-4o', metric: 'rejected' }).settings.metric).toBe('errors');
  });

  it('counts rejected requests of keys and operations, and of all', () => {
    for (const group of ['api_key', 'operation', 'none'] as const) {
      expect(view({ group, metric: 'rejected' }).settings.metric).toBe('rejected');
    }
  });

  it('groups the requests of one value by model', () => {
    const { settings } = view({ group: 'api_key', session_id: 's1' });
    expect(settings.group).toBe('model');
    expect(view({ group: 'operation', session_id: 's1' }).settings.group).toBe('operation');
  });

  it('uses hours where there are no sums by minute', () => {
    expect(view({ range: '1h' }).settings.interval).toBe('minute');
    expect(view({ range: '1h', group: 'operation', operation: 'embeddings' }).settings.interval).toBe(
      'minute',
    );
    expect(view({ range: '1h', group: 'user_id' }).settings.interval).toBe('hour');
    expect(view({ range: '1h', interval: 'minute', error_code: 'timeout' }).settings.interval).toBe('hour');
    expect(view({ range: '90d', interval: 'hour' }).settings.interval).toBe('day');
  });
});

describe('Choices that are not possible', () => {
  it('are the percentiles and rejected requests of users', () => {
    expect(impossible(metricChoices(view({ group: 'user_id' }).settings))).toEqual([
      'rejected',
      'latency_p50',
      'latency_p95',
      'latency_p99',
      'first_token_p50',
      'first_token_p95',
    ]);
  });

  it('are groups by value within one value', () => {
    const choices = groupChoices(view({ user_id: 'ada' }).settings);
    expect(impossible(choices)).toEqual([
      'api_key',
      'prompt_id',
      'session_id',
      'user_id',
      'route',
      'error_code',
    ]);
    expect(choices.map(({ value, label }) => [value, label]).slice(2, 4)).toEqual([
      ['provider', 'Provider'],
      ['operation', 'Operation'],
    ]);
    expect(choices[4]?.reason).toBe('Excluded by the filter by user');
  });

  it('are intervals that the range or the group does not have', () => {
    const { settings, range } = view({ range: '1h', group: 'api_key' });
    expect(intervalChoices(settings, range).map(({ reason }) => reason)).toEqual([
      'Sums by minute exist only of models, providers and operations',
      null,
      'Longer than this range',
      'Longer than this range',
    ]);
    const month = view({});
    expect(intervalChoices(month.settings, month.range)[0]?.reason).toBe('Too many minutes in this range');
  });
});
