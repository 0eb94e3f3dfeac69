import { describe, expect, it } from 'vitest';
import { groupOf, reportSeries, reportTotals } from '#dashboard/charts/report-series.ts';
import { metricNames, metrics } from '#dashboard/metrics/metrics.ts';
import type { CostPeriod, CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';

const totalsOf = (requests: number, cost_usd: string) =>
  costTotals({ requests, cost_usd, mean_latency_ms: requests * 100 });

function period(day: number, totals: CostTotals, rest: Partial<CostPeriod> = {}): CostPeriod {
  return {
    start: `2026-11-0${day}T00:00:00Z`,
    end: `2026-11-0${day + 1}T00:00:00Z`,
    totals,
    groups: [],
    other: null,
    ...rest,
  };
}

const report: CostReport = {
  window: { start: null, end: null, rounded_to: null },
  time_zone: 'UTC',
  complete_until: '2026-11-03T00:00:00Z',
  max_percentile_error: 0.19,
  totals: totalsOf(8, '2.5'),
  previous: null,
  group_by: 'prompt_id',
  groups: [
    { value: 'none', totals: totalsOf(3, '2') },
    { value: null, totals: totalsOf(2, '0.25') },
  ],
  other: { groups: 12, totals: totalsOf(3, '0.25') },
  interval: 'day',
  series: [
    period(1, totalsOf(5, '2.25'), {
      groups: [{ value: 'none', totals: totalsOf(3, '2') }],
      other: { groups: 2, totals: totalsOf(2, '0.25') },
    }),
    period(2, totalsOf(3, '0.25'), { groups: [{ value: null, totals: totalsOf(2, '0.25') }] }),
  ],
};

const look = {
  name: (value: string | null) => value ?? 'No prompt',
  colour: (_: string | null, index: number) => index,
};

describe('reportSeries', () => {
  it('has a series for each group and a grey one for the rest, which are zero without requests', () => {
    expect(reportSeries(report, metrics.cost, look)).toEqual([
      { id: '=none', name: 'none', colour: 0, values: [2, 0], texts: ['$2.00', '$0.00'] },
      { id: 'none', name: 'No prompt', colour: 1, values: [0, 0.25], texts: ['$0.00', '$0.25'] },
      { id: 'other', name: 'Other (12)', colour: 'other', values: [0.25, 0], texts: ['$0.25', '$0.00'] },
    ]);
    expect(reportTotals(report, metrics.cost)).toEqual(['$2.25', '$0.25']);
  });

  it('has the rejected requests beside those that were served', () => {
    const counted = (requests: number, rejected_requests: number | null) =>
      costTotals({ requests, rejected_requests });
    const all: CostReport = {
      ...report,
      ...{ group_by: null, groups: [], other: null },
      totals: counted(9, 3),
      series: [period(1, counted(5, 0)), period(2, counted(4, 3))],
    };

    expect(reportSeries(all, metrics.requests, look)).toEqual([
      { id: 'served', name: 'Served', colour: 0, values: [5, 4], texts: ['5', '4'] },
      { id: 'rejected', name: 'Rejected', colour: 'error', values: [0, 3], texts: ['0', '3'] },
    ]);
    expect(reportSeries(all, metrics.tokens, look).map(({ id }) => id)).toEqual(['all']);
    const none = { ...all, totals: counted(9, null) };
    expect(reportSeries(none, metrics.requests, look).map(({ id }) => id)).toEqual(['all']);
  });

  it('has no value of a figure that is not a sum where a group has no requests', () => {
    const [first] = reportSeries(report, metrics.mean_latency, look);
    expect(first).toMatchObject({ values: [300, null], texts: ['300 ms', '–'] });
  });

  it('has one series of all requests without groups', () => {
    const series = reportSeries(
      { ...report, group_by: null, groups: [], other: null },
      metrics.requests,
      look,
    );
    expect(series).toEqual([
      { id: 'all', name: 'All requests', colour: 0, values: [5, 3], texts: ['5', '3'] },
    ]);
  });

  it('has no series without requests, of which rejected ones are some', () => {
    const seriesWith = (totals: CostTotals) =>
      reportSeries({ ...report, group_by: null, totals }, metrics.cost, look).length;
    expect(seriesWith(totalsOf(0, '0'))).toBe(0);
    expect(seriesWith(costTotals({ rejected_requests: 0 }))).toBe(0);
    expect(seriesWith(costTotals({ rejected_requests: 1 }))).toBe(1);
  });

  it('is zero or missing where a group has no requests, whatever the metric', () => {
    const texts = metricNames.map((name) => [name, reportSeries(report, metrics[name], look)[1]?.texts[0]]);
    const sums = metricNames.filter((name) => metrics[name].isSum);
    expect(texts).toEqual(
      metricNames.map((name) => [name, sums.includes(name) ? (name === 'cost' ? '$0.00' : '0') : '–']),
    );
  });
});

describe('groupOf', () => {
  it('returns the group of a series, which the rest does not have', () => {
    const ids = ['=none', 'none', 'other', 'all', null];
    expect(ids.map(groupOf)).toEqual([{ value: 'none' }, { value: null }, null, null, null]);
  });
});
