import { describe, expect, it } from 'vitest';
import { groupTitles } from '#dashboard/metrics/groups.ts';
import {
  isMetricName,
  type Metric,
  metricNames,
  metrics,
  unavailableReason,
} from '#dashboard/metrics/metrics.ts';
import type { GroupBy } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';

const totals = costTotals({
  requests: 1200,
  cost_usd: '123.456789012345',
  mean_cost_usd: '0.102880657',
  input_tokens: 4_000_000,
  output_tokens: 500_000,
  cached_input_tokens: 1_000_000,
  uncertain_cost_share: 0,
  error_requests: 6,
  rejected_requests: 8,
  mean_latency_ms: 1800.5,
  mean_overhead_ms: 9.25,
  latency_ms: { p50: 1432, p95: 6100, p99: 12_345, exact: false },
  time_to_first_token_ms: { p50: 310, p95: 812, p99: 812, exact: true },
});

const none = costTotals();

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
      mean_cost: 0.10288065751,
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

  it('of the cost per request leave out requests without a known price', () => {
    const other = { ...totals, requests: 10, cost_usd: '0.4', unpriced_requests: 2 };

    expect(metrics.mean_cost.textOf(other)).toBe('≈ $0.05');
    expect(metrics.mean_cost.textOf({ ...other, cost_usd: '0', unpriced_requests: 10 })).toBe('–');
  });

  it('that have no value without requests are shown as a dash', () => {
    const dashes = metricNames.filter((name) => metrics[name].textOf(none) === '–');

    expect(dashes).toEqual(['rejected', ...metricNames.filter((name) => !metrics[name].isSum)]);
  });

  it('are known by name, which excludes properties of all objects', () => {
    expect([isMetricName('cost'), isMetricName('toString'), isMetricName(1)]).toEqual([true, false, false]);
  });

  it('are shown as texts', () => {
    expect(Object.fromEntries(metricNames.map((name) => [name, metrics[name].textOf(totals)]))).toEqual({
      cost: '$123.46',
      requests: '1,200',
      tokens: '4,500,000',
      input_tokens: '4,000,000',
      output_tokens: '500,000',
      errors: '6',
      rejected: '8',
      mean_cost: '$0.10',
      error_rate: '0.50%',
      cached_share: '25.0%',
      latency_p50: '≈ 1.43 s',
      latency_p95: '≈ 6.10 s',
      latency_p99: '≈ 12.3 s',
      first_token_p50: '310 ms',
      first_token_p95: '812 ms',
      mean_latency: '1.80 s',
      mean_overhead: '9.3 ms',
    });
  });

  it('have titles, and say which are sums and which are durations', () => {
    const described = metricNames.map((name) => {
      const { title, isSum, isDuration = false }: Metric = metrics[name];
      return `${title}${isSum ? ' +' : ''}${isDuration ? ' ms' : ''}`;
    });
    expect(described).toEqual([
      'Spend +',
      'Requests +',
      'Tokens +',
      'Input tokens +',
      'Output tokens +',
      'Errors +',
      'Rejected requests +',
      'Cost per request',
      'Error rate',
      'Cached input',
      'Latency median ms',
      'Latency p95 ms',
      'Latency p99 ms',
      'First token median ms',
      'First token p95 ms',
      'Mean latency ms',
      'Mean gateway overhead ms',
    ]);
  });

  it('of percentiles exist by the groups that have sums of them', () => {
    const groups = Object.keys(groupTitles) as GroupBy[];
    const unavailable = metricNames.map((name) =>
      groups.filter((group) => unavailableReason(name, group) !== null),
    );
    const missing = ['session_id', 'user_id', 'route', 'error_code'];
    const unknown = ['model', 'provider', 'prompt_id', 'session_id', 'user_id'];
    expect(unavailable).toEqual(
      metricNames.map((name) => (/_p\d\d$/.test(name) ? missing : name === 'rejected' ? unknown : [])),
    );
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
