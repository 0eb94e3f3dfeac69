import { describe, expect, it } from 'vitest';
import { type LogsSearch, parseLogsSearch } from '#dashboard/filters/logs-search.ts';
import { parseSearch, stringifySearch } from '#dashboard/shell/search.ts';

describe('parseLogsSearch', () => {
  it('keeps the range and the valid filters of a link, and ignores everything else', () => {
    expect(
      parseLogsSearch({
        range: '7d',
        model: 'gpt-4o',
        status: '429',
        outcome: 'timeout',
        operation: 'responses',
        finish_reason: 'length',
        response_id: 'chatcmpl-1',
        provider_request_id: 'req_1',
        user_id: '',
        page: '2',
      }),
    ).toEqual({
      range: '7d',
      model: 'gpt-4o',
      status: '429',
      outcome: 'timeout',
      operation: 'responses',
      finish_reason: 'length',
      response_id: 'chatcmpl-1',
      provider_request_id: 'req_1',
    });
    expect(parseLogsSearch({ status: '99', outcome: 'lost', operation: 'chat' })).toEqual({});
  });

  it('keeps bounds of figures, and ignores those that no figure can have or between which there is nothing', () => {
    const bounds = {
      min_cost_usd: '0.0002',
      max_cost_usd: '1',
      min_latency_ms: '1500',
      max_time_to_first_token_ms: '800',
      min_total_tokens: '7',
      max_total_tokens: '7',
      min_retries: '1',
    };
    expect(parseLogsSearch(bounds)).toEqual(bounds);
    expect(parseLogsSearch({ min_retries: 2 })).toEqual({ min_retries: '2' });
    expect(
      parseLogsSearch({ min_cost_usd: '0,5', max_cost_usd: '-1', min_latency_ms: '1.5', max_retries: '' }),
    ).toEqual({});
    expect(parseLogsSearch({ min_latency_ms: '10', max_latency_ms: '9' })).toEqual({});
    expect(parseLogsSearch({ min_cost_usd: '0.0000000000001', min_status: '400' })).toEqual({});
  });

  it('keeps an order other than the newest first', () => {
    expect(parseLogsSearch({ sort: 'latency_ms' })).toEqual({ sort: 'latency_ms' });
    expect(parseLogsSearch({ sort: 'cost_usd', order: 'asc' })).toEqual({ sort: 'cost_usd', order: 'asc' });
    expect(parseLogsSearch({ sort: 'created_at', order: 'desc' })).toEqual({});
    expect(parseLogsSearch({ sort: 'status', order: 'up' })).toEqual({});
  });

  it('follows new requests only in a range up to the present, the newest first', () => {
    expect(parseLogsSearch({ range: '24h', live: '1' }).live).toBe('1');
    expect(parseLogsSearch({ start: '2026-11-01', live: '1' }).live).toBe('1');
    expect(parseLogsSearch({ range: 'yesterday', live: '1' }).live).toBeUndefined();
    expect(parseLogsSearch({ start: '2026-11-01', end: '2026-11-02', live: '1' }).live).toBeUndefined();
    expect(parseLogsSearch({ range: '24h', sort: 'retries', live: '1' }).live).toBeUndefined();
    expect(parseLogsSearch({ range: '24h', order: 'asc', live: '1' }).live).toBeUndefined();
  });

  it('reads its own link', () => {
    const search: LogsSearch = {
      start: '2026-11-01T00:00:00.000Z',
      end: '2026-11-02T00:00:00.000Z',
      time_zone: 'Europe/Berlin',
      user_id: 'ada & co',
      status: '429',
      min_cost_usd: '0.01',
      sort: 'time_to_first_token_ms',
      order: 'asc',
    };
    expect(parseLogsSearch(parseSearch(stringifySearch({ ...search })))).toEqual(search);
  });
});
