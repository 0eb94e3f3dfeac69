import { type CostRollup, hasHistograms } from '#lambdas/costs/rollups/rollup.ts';
import { sumTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { FinestPeriod, GroupBy } from './dimensions.ts';
import {
  byCost,
  byErrors,
  type CostGroups,
  type GroupList,
  type GroupPart,
  type GroupValue,
  listGroups,
  sumGroups,
  topGroups,
  withRest,
} from './groups.ts';
import type { CostQuery, Interval } from './query.ts';
import type { CostRows, Costs } from './read.ts';
import type { ElementRow } from './read-rows.ts';

export interface CostSummary {
  totals: Totals;
  /** By model name without the provider prefix. */
  byModel: Record<string, Totals>;
  window: ReportWindow;
  /** In RFC 3339. */
  completeUntil: string;
  timeZone: string;
  /** Whether the query counts rejected requests. */
  countsRejected: boolean;
  countsRejectedByModel: boolean;
  grouping: ({ by: GroupBy } & GroupList) | null;
  series: { interval: Interval; elements: SeriesElement[] } | null;
  previous: { totals: Totals; window: ReportWindow } | null;
}

/** In RFC 3339; `null` for an omitted bound. */
export interface ReportWindow {
  start: string | null;
  end: string | null;
  roundedTo: FinestPeriod | null;
}

interface SeriesElement {
  start: string;
  end: string;
  totals: Totals;
  /** The groups of the whole window's list that have requests in this element; `null` when the query does not group. */
  groups: GroupList | null;
}

export function summarizeCosts(query: CostQuery, costs: Costs): CostSummary {
  const { groupBy, series, limit, dimensions } = query;
  const { isOpen, presentMs } = query.reportedWindow;
  const { window, roundedTo, previous, completeUntilMs } = costs;
  const countsRejected = dimensions.groups === 'error_code';
  const rows = { total: costs.totalRows, group: costs.groupRows };
  const totals = totalsOf(query, rows);
  const groups = groupBy === null ? null : groupsOf(query, groupBy, rows, totals);
  const listed =
    groups === null ? [] : topGroups(groups, limit, groupBy === 'error_code' ? byErrors : byCost);
  return {
    totals,
    byModel: sumByModel(costs.totalRows),
    window: {
      start: isOpen.start ? null : timestamp(window.startMs),
      end: isOpen.end ? null : timestamp(Math.min(window.endMs, presentMs ?? window.endMs)),
      roundedTo,
    },
    completeUntil: timestamp(completeUntilMs),
    timeZone: query.timeZone,
    countsRejected,
    // Only the rows by error code count them, which are read by model with the filter.
    countsRejectedByModel: countsRejected && dimensions.totals === dimensions.groups,
    grouping: groupBy === null || groups === null ? null : { by: groupBy, ...listGroups(groups, listed) },
    series: series && { interval: series.interval, elements: summarizeSeries(query, costs, listed) },
    previous: previous && summarizePrevious(query, previous),
  };
}

interface Rows {
  total: readonly ElementRow[];
  group: readonly ElementRow[];
}

/** Rejected requests are in no other total. The rows of totals omit them, so their number comes from the groups. */
function totalsOf({ dimensions }: CostQuery, { total, group }: Rows): Totals {
  const totals = sumRows(total);
  if (dimensions.groups === dimensions.totals) return totals;
  return { ...totals, rejected_requests: sumRows(group).rejected_requests };
}

function summarizeSeries(query: CostQuery, costs: CostRows, listed: GroupValue[]): SeriesElement[] {
  const { groupBy } = query;
  const { presentMs } = query.reportedWindow;
  const totalRows = Map.groupBy(costs.totalRows, ({ element }) => element);
  const groupRows = Map.groupBy(costs.groupRows, ({ element }) => element);
  return costs.elements.map(({ startMs, endMs }: TimeWindow, element) => {
    const rows = { total: totalRows.get(element) ?? [], group: groupRows.get(element) ?? [] };
    const totals = totalsOf(query, rows);
    return {
      start: timestamp(startMs),
      end: timestamp(Math.min(endMs, presentMs ?? endMs)),
      totals,
      groups: groupBy === null ? null : listGroups(groupsOf(query, groupBy, rows, totals), listed),
    };
  });
}

function summarizePrevious(
  query: CostQuery,
  { totalRows, groupRows, window, roundedTo }: CostRows,
): CostSummary['previous'] {
  return {
    totals: totalsOf(query, { total: totalRows, group: groupRows }),
    window: { start: timestamp(window.startMs), end: timestamp(window.endMs), roundedTo },
  };
}

function groupsOf({ dimensions }: CostQuery, groupBy: GroupBy, { group }: Rows, all: Totals): CostGroups {
  const groups = sumGroups(group.map((row) => toGroupPart(groupBy, row)));
  // Errors are a part of the requests.
  if (groupBy === 'error_code') return groups;
  return withRest(groups, hasHistograms(dimensions.groups) ? all : { ...all, histograms: {} });
}

function toGroupPart(groupBy: GroupBy, { provider, operation, model, value, totals }: CostRollup): GroupPart {
  if (groupBy === 'model') return { value: model || null, totals };
  if (groupBy === 'provider') return { value: provider || null, totals };
  if (groupBy === 'operation') return { value: operation, totals };
  return { value, totals };
}

function sumRows(rows: readonly CostRollup[]): Totals {
  return sumTotals(rows.map(({ totals }) => totals));
}

function sumByModel(rows: readonly CostRollup[]): Record<string, Totals> {
  const models = [...Map.groupBy(rows, ({ model }) => model)]
    .map(([model, members]) => [model, sumRows(members)] as const)
    .filter(([model, totals]) => model !== '' && totals.requests + totals.rejected_requests > 0);
  return Object.fromEntries(models.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function timestamp(timestampMs: number): string {
  return new Date(timestampMs).toISOString();
}
