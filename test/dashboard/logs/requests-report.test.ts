import { describe, expect, it } from 'vitest';
import type { Conditions } from '#dashboard/filters/logs-search.ts';
import { seriesOf, totalsText } from '#dashboard/logs/requests-chart.tsx';
import { chartFilters, chartInterval } from '#dashboard/logs/requests-report.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';

describe('chartFilters', () => {
  it('answers model, provider and tier together with one value, and names the other filters', () => {
    const filters = {
      model: 'gpt-4o',
      provider: 'openai',
      operation: 'embeddings',
      service_tier: 'priority',
      api_key_id: 'key_1',
      user_id: 'ada',
      status: '429',
      outcome: 'rejected',
      min_cost_usd: '1',
      max_retries: '3',
    };
    expect(chartFilters(filters)).toEqual({
      applied: {
        model: 'gpt-4o',
        provider: 'openai',
        operation: 'embeddings',
        service_tier: 'priority',
        user_id: 'ada',
      },
      outcome: null,
      omitted: ['api_key_id', 'outcome', 'status', 'cost_usd', 'retries'],
    });
  });

  it('obeys an outcome wherever sums have its count', () => {
    const of = (filters: Conditions) => {
      const { outcome, omitted } = chartFilters(filters);
      return [outcome, omitted];
    };
    const rejected = { outcome: 'rejected', error_code: 'insufficient_quota' };
    expect(of(rejected)).toEqual(['rejected', []]);
    expect(of({ ...rejected, api_key_id: 'key_1' })).toEqual(['rejected', ['error_code']]);
    expect(of({ ...rejected, user_id: 'ada' })).toEqual([null, ['outcome', 'error_code']]);
    expect(of({ outcome: 'timeout', user_id: 'ada', model: 'gpt-4o' })).toEqual(['timeout', []]);
  });
});

describe('The requests of an outcome', () => {
  const totals = costTotals({
    requests: 9,
    error_requests: 5,
    provider_error_requests: 4,
    timeout_requests: 1,
    client_closed_requests: 1,
    rejected_requests: 2,
  });
  const period = { start: '2026-11-23T00:00:00Z', end: '2026-11-24T00:00:00Z', complete: true, totals };
  const report = { totals, series: [{ ...period, groups: null }] } as unknown as CostReport;

  it.each([
    [null, '9 · 5 errors · 2 rejected', ['Without errors 4', 'Errors 5', 'Rejected 2']],
    ['completed', '3', ['Completed 3']],
    ['timeout', '1', ['Timeout 1']],
    ['rejected', '2', ['Rejected 2']],
    ['interrupted', '0', []],
  ] as const)('%s are counted alone: %s', (outcome, text, bars) => {
    expect(totalsText(totals, outcome)).toBe(text);
    expect(seriesOf(report, outcome).map(({ name, texts }) => `${name} ${texts}`)).toEqual(bars);
  });
});

describe('chartInterval', () => {
  it('is an hour instead of a minute for one value', () => {
    expect(chartInterval('minute', { model: 'gpt-4o' })).toBe('minute');
    expect(chartInterval('minute', { prompt_id: 'chat' })).toBe('hour');
    expect(chartInterval('day', { prompt_id: 'chat' })).toBe('day');
  });
});
