/** Where a point of a chart or a row of a table leads: to its group alone, and to its requests. */
import type { Filters } from '#dashboard/api/analytics.ts';
import type { ChartPeriod } from '#dashboard/charts/chart.ts';
import { filterOfGroup, valueFilterOf, withFilter } from '#dashboard/filters/cost-filters.ts';
import type { LogsSearch } from '#dashboard/filters/logs-search.ts';
import { parseRangeSearch, type RangeSearch } from '#dashboard/range/range.ts';
import type { CostPeriod, CostReport, CostTotals, GroupBy } from '#lambdas/accounts/analytics/responses.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import type { RequestList } from './request-lists.ts';
import type { GroupChoice, UsageSearch } from './search.ts';

/** Requests that a report sums up. */
export type Selection = { kind: 'all' } | { kind: 'other' } | GroupSelection;

export interface GroupSelection {
  kind: 'group';
  group: GroupBy;
  /** Null for the requests without a value. */
  value: string | null;
}

/** Filters cannot select requests without a value, or those of the groups that are not listed. */
export function filtersOfSelection(filters: Filters, selection: Selection): Filters | null {
  if (selection.kind === 'all') return filters;
  if (selection.kind === 'other' || selection.value === null) return null;
  return withFilter(filters, filterOfGroup[selection.group], selection.value);
}

/** The same view of one group, split by what else tells its requests apart; `null` if no filter selects the group. */
export function onlySearch(search: UsageSearch, filters: Filters, selection: Selection): UsageSearch | null {
  const narrowed = selection.kind === 'group' ? filtersOfSelection(filters, selection) : null;
  if (narrowed === null) return null;
  return { ...search, ...narrowed, group: nextGroup(narrowed), point: undefined, series: undefined };
}

function nextGroup(filters: Filters): GroupChoice {
  if (filters.model === undefined) return 'model';
  return valueFilterOf(filters) === null ? 'api_key' : 'none';
}

/** @param period `null` for the whole range */
export function logsSearch(
  range: RangeSearch,
  filters: Filters,
  period: ChartPeriod | null,
  { conditions }: Pick<RequestList, 'conditions'> = { conditions: {} },
): LogsSearch {
  const { time_zone } = range;
  const bounds = period && { start: period.start, end: period.end, time_zone };
  return { ...(bounds ?? parseRangeSearch({ ...range })), ...filters, ...conditions };
}

/** Whether the log entries of a period still exist: they expire, sums do not. */
export function entriesKept(
  { start, end }: { start: string | null; end: string | null },
  retentionDays: number,
  now: Date,
): 'all' | 'some' | 'none' {
  const expiredBeforeMs = now.getTime() - retentionDays * dayMs;
  if (start !== null && Date.parse(start) >= expiredBeforeMs) return 'all';
  return end !== null && Date.parse(end) <= expiredBeforeMs ? 'none' : 'some';
}

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
