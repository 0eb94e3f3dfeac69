import { describe, expect, it } from 'vitest';
import { isMetricName, metricNames, metrics, unavailableReason } from '#dashboard/metrics/metrics.ts';
import type { CostTotals } from '#lambdas/accounts/analytics/responses.ts';

const totals: CostTotals = {
  requests: 1200,
  cost_usd: '123.456789012345',
  mean_cost_usd: '0.102880657',
  input_tokens: 4_000_000,
  output_tokens: 500_000,
  cached_input_tokens: 1_000_000,
  cache_write_input_tokens: 0,
  reasoning_tokens: 0,
  unpriced_requests: 0,
  assumed_requests: 0,
  assumed_cost_usd: '0',
  estimated_requests: 0,
  estimated_cost_usd: '0',
  uncertain_cost_share: 0,
  error_requests: 6,
  provider_error_requests: 3,
  timeout_requests: 2,
  interrupted_requests: 1,
  client_closed_requests: 4,
  rejected_requests: 8,
  mean_latency_ms: 1800.5,
  mean_overhead_ms: 9.25,
  latency_ms: { p50: 1432, p95: 6100, p99: 12_345 },
  time_to_first_token_ms: { p50: 310, p95: 812 },
} as CostTotals;

const none: CostTotals = {
  ...totals,
  requests: 0,
  cost_usd: '0',
  mean_cost_usd: null,
  input_tokens: 0,
  cached_input_tokens: 0,
  error_requests: 0,
  mean_latency_ms: null,
  mean_overhead_ms: null,
  latency_ms: null,
  time_to_first_token_ms: null,
};

describe('Metrics', () => {
  it('are read from the totals of a report', () => {
    const values = metricNames.map((name) => [name, metrics[name].valueOf(totals)]);

    expect(Object.fromEntries(values)).toEqual({
      cost: 123.456789012345,
      requests: 1200,
      tokens: 4_500_000,
      input_tokens: 4_000_000,
      output_tokens: 500_000,
      errors: 6,
      rejected: 8,
      mean_cost: 0.102880657,
      error_rate: 0.005,
      cached_share: 0.25,
      latency_p50: 1432,
      latency_p95: 6100,
      latency_p99: 12_345,
      first_token_p50: 310,
      first_token_p95: 812,
      mean_latency: 1800.5,
      mean_overhead: 9.25,
    });
  });

  it('of costs are marked where a part of them is not certain', () => {
    const uncertain = [
      { unpriced_requests: 1 },
      { assumed_requests: 1 },
      { estimated_requests: 1, uncertain_cost_share: 0.25 },
    ].map((part) => ({ ...totals, ...part }));

    expect([totals, ...uncertain].map(metrics.cost.textOf)).toEqual([
      '$123.46',
      ...uncertain.map(() => '≈ $123.46'),
    ]);
    expect(metrics.mean_cost.textOf({ ...totals, assumed_requests: 1 })).toBe('≈ $0.10');
    expect(metrics.requests.textOf({ ...totals, assumed_requests: 1 })).toBe('1,200');
  });

  it('that have no value without requests are shown as a dash', () => {
    const dashes = metricNames.filter((name) => metrics[name].textOf(none) === '–');

    expect(dashes).toEqual(metricNames.filter((name) => !metrics[name].isSum));
  });

  it('are known by name, which excludes properties of all objects', () => {
    expect([isMetricName('cost'), isMetricName('toString'), isMetricName(1)]).toEqual([true, false, false]);
  });

  it('of percentiles say for which groups they do not exist', () => {
    expect(unavailableReason('latency_p95', 'user_id')).toMatch(/^Percentiles exist by model/);
    expect(unavailableReason('latency_p95', 'prompt_id')).toBe(null);
    expect(unavailableReason('mean_latency', 'user_id')).toBe(null);
    expect(unavailableReason('latency_p95', null)).toBe(null);
  });
});

describe('An axis', () => {
  it.each([
    ['cost', 0, '$0'],
    ['cost', 0.0005, '$0.0005'],
    ['cost', 0.25, '$0.25'],
    ['cost', 40, '$40'],
    ['cost', 12_500, '$12.5K'],
    ['requests', 12_500, '12.5K'],
    ['error_rate', 0.05, '5%'],
    ['latency_p50', 500, '500 ms'],
    ['latency_p50', 0, '0 ms'],
    ['latency_p50', 90_000, '1 min 30 s'],
    ['latency_p50', 120_000, '2 min'],
  ] as const)('of %s writes %d as %s', (name, value, text) => {
    expect(metrics[name].formatAxis(value, 'en')).toBe(text);
  });
});
