import { describe, expect, it } from 'vitest';
import { selectionOfSeries, totalsOfSelection } from '#dashboard/usage/drill-down.ts';
import type { CostPeriod, CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';

/** Only what the functions read. */
const totals = (requests: number) => ({ requests }) as CostTotals;
const groups = [
  { value: 'ada', totals: totals(4) },
  { value: null, totals: totals(2) },
];
const report = { group_by: 'user_id', groups } as CostReport;
const period = { totals: totals(5), groups: groups.slice(0, 1), other: { groups: 1, totals: totals(1) } };

describe('A chosen point', () => {
  const chosen = (report: CostReport, series: number) => {
    const selection = selectionOfSeries(report, series);
    return { selection, totals: totalsOfSelection(period as CostPeriod, selection) };
  };

  it('is a group, which may have no requests in its period', () => {
    expect(chosen(report, 0)).toEqual({
      selection: { kind: 'group', group: 'user_id', value: 'ada' },
      totals: { requests: 4 },
    });
    expect(chosen(report, 1)).toEqual({
      selection: { kind: 'group', group: 'user_id', value: null },
      totals: null,
    });
  });

  it('is the rest after the groups, and everything without a series or groups', () => {
    expect(chosen(report, 2)).toEqual({ selection: { kind: 'other' }, totals: { requests: 1 } });
    const all = { selection: { kind: 'all' }, totals: { requests: 5 } };
    expect(chosen(report, -1)).toEqual(all);
    expect(chosen({ ...report, group_by: null, groups: [] }, 0)).toEqual(all);
  });
});
