import { describe, expect, it } from 'vitest';
import { parseSearch, stringifySearch } from '#dashboard/shell/search.ts';
import { parseUsageSearch } from '#dashboard/usage/search.ts';

describe('The link of the usage view', () => {
  it('reproduces range, metric, group, interval, filters and the chosen point', () => {
    const search = {
      range: '7d',
      time_zone: 'Europe/Berlin',
      model: 'gpt-4o',
      operation: 'embeddings',
      user_id: 'ada & "co"',
      metric: 'latency_p95',
      group: 'operation',
      interval: 'hour',
      top: '20',
      point: '2026-11-17T10:00:00.000Z',
      series: 'messages',
    };
    expect(parseUsageSearch(parseSearch(stringifySearch(search)))).toMatchObject(search);
  });

  it('ignores what is not valid', () => {
    const search = {
      metric: 'profit',
      group: 'team',
      interval: 'week',
      top: '9',
      model: '',
      operation: 'Embeddings',
      point: 'now',
      series: 'a',
    };
    const parsed = parseUsageSearch(search);
    expect(stringifySearch({ ...parsed })).toBe('');
  });

  it('keeps one of the filters that exclude each other', () => {
    const parsed = parseUsageSearch({ error_code: 'timeout', user_id: 'ada', provider: 'openai' });
    expect(stringifySearch({ ...parsed })).toBe('?provider=openai&user_id=ada');
  });
});
