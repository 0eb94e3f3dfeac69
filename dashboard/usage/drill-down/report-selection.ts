/** Finds in a report what was chosen in its chart. */
import type { CostPeriod, CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import type { Selection } from './drill-down.ts';

/** The series of a chart are the groups of its report in their order, then the rest; or all requests. */
export function selectionOfSeries(report: CostReport, seriesIndex: number): Selection {
  const group = report.groups[seriesIndex];
  if (report.group_by === null || seriesIndex < 0) return { kind: 'all' };
  return group === undefined
    ? { kind: 'other' }
    : { kind: 'group', group: report.group_by, value: group.value };
}

/** Null if none of the requests is in the period. */
export function totalsOfSelection(period: CostPeriod, selection: Selection): CostTotals | null {
  if (selection.kind === 'all') return period.totals;
  if (selection.kind === 'other') return period.other?.totals ?? null;
  return period.groups.find(({ value }) => value === selection.value)?.totals ?? null;
}
