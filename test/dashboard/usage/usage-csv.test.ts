import { describe, expect, it } from 'vitest';
import { usageCsv, usageFileName } from '#dashboard/usage/usage-csv.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';

const totals = costTotals({
  requests: 3,
  cost_usd: '0.000302400001',
  mean_cost_usd: '0.0001008',
  input_tokens: 2460,
  output_tokens: 190,
  cached_input_tokens: 1024,
  reasoning_tokens: 7,
  unpriced_requests: 1,
  assumed_requests: 1,
  assumed_cost_usd: '0.0002',
  estimated_requests: 1,
  estimated_cost_usd: '0.000102400001',
  uncertain_cost_share: 1,
  mean_latency_ms: 1295.67,
  mean_overhead_ms: 2.33,
  latency_ms: { p50: 1116, p95: 1840, p99: 1841, exact: false },
});
const figures =
  '3,0.000302400001,0.0001008,2460,190,1024,0,7,1,1,0.0002,1,0.000102400001,1,0,0,0,0,0,,0,1295.67,2.33,1116,1840,1841,,,';

const period = { start: '2026-11-22T23:00:00.000Z', end: '2026-11-23T23:00:00.000Z', totals };
const report: CostReport = {
  window: { start: period.start, end: period.end, rounded_to: null },
  time_zone: 'Europe/Berlin',
  complete_until: period.end,
  max_percentile_error: 0.19,
  totals,
  previous: null,
  group_by: null,
  groups: [],
  other: null,
  interval: 'day',
  series: [{ ...period, groups: [], other: null }],
};
const groupedReport: CostReport = {
  ...report,
  group_by: 'api_key',
  series: [
    {
      ...period,
      groups: [
        { value: 'key_1', totals },
        { value: null, totals },
      ],
      other: { groups: 2, totals },
    },
  ],
};

describe('usageCsv', () => {
  it('has a line with exact figures for each period', () => {
    const [header, ...lines] = usageCsv(report, new Map()).split('\r\n');
    expect(header?.split(',').slice(0, 6)).toEqual([
      'period_start',
      'period_end',
      'time_zone',
      'requests',
      'cost_usd',
      'mean_cost_usd',
    ]);
    expect(header).toContain(
      ',unpriced_requests,assumed_requests,assumed_cost_usd,estimated_requests,estimated_cost_usd,uncertain_cost_share,',
    );
    expect(lines).toEqual([`${period.start},${period.end},Europe/Berlin,${figures}`, '']);
  });

  it('has a line for each group and the rest, with the names of keys', () => {
    const [header, ...lines] = usageCsv(groupedReport, new Map([['key_1', '=cmd']])).split('\r\n');
    const prefix = `${period.start},${period.end},Europe/Berlin`;
    expect(header).toContain('time_zone,is_other,api_key_id,api_key_name,requests');
    expect(lines).toEqual([
      `${prefix},false,key_1,'=cmd,${figures}`,
      `${prefix},false,,,${figures}`,
      `${prefix},true,,,${figures}`,
      '',
    ]);
  });

  it('is named after its group and its days', () => {
    expect(usageFileName(report)).toBe('usage-2026-11-23-to-2026-11-23.csv');
    expect(usageFileName(groupedReport)).toBe('usage-by-api-key-id-2026-11-23-to-2026-11-23.csv');
  });
});
