import { describe, expect, it } from 'vitest';
import { parseLogsSearch } from '#dashboard/logs/search.ts';

describe('parseLogsSearch', () => {
  it('keeps the range and the valid filters of a link, and ignores everything else', () => {
    expect(
      parseLogsSearch({
        range: '7d',
        model: 'gpt-4o',
        status: '429',
        outcome: 'timeout',
        operation: 'responses',
        user_id: '',
        page: '2',
      }),
    ).toEqual({ range: '7d', model: 'gpt-4o', status: '429', outcome: 'timeout', operation: 'responses' });
    expect(parseLogsSearch({ status: '99', outcome: 'lost', operation: 'chat' })).toEqual({});
  });

  it('follows new requests only in a range up to the present', () => {
    expect(parseLogsSearch({ range: '24h', live: '1' }).live).toBe('1');
    expect(parseLogsSearch({ start: '2026-11-01', live: '1' }).live).toBe('1');
    expect(parseLogsSearch({ range: 'yesterday', live: '1' }).live).toBeUndefined();
    expect(parseLogsSearch({ start: '2026-11-01', end: '2026-11-02', live: '1' }).live).toBeUndefined();
  });
});
