/** Adds up the rows of a query: the totals, the groups, and the elements of a series. */

import { type CostRollup, hasHistograms, isInCosts } from '#lambdas/costs/rollups/rollup.ts';
import { countedRequests, sumTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import {
  type CostGroups,
  type GroupList,
  type GroupTotals,
  type GroupValue,
  listGroups,
  sumGroups,
  withRest,
} from './groups/group-list.ts';
import { topGroups } from './groups/selection.ts';
import { type CostQuery, countsRejected, type GroupBy } from './query.ts';
import type { CostRows, Costs } from './read.ts';
import type { ElementRow } from './read-rows.ts';
import { type FinestPeriod, type Interval, maxCountedDays } from './window.ts';

export interface CostSummary {
  totals: Totals;
  /** By model name without the provider prefix. */
  byModel: Record<string, Totals>;
  window: SummaryWindow;
  /** In RFC 3339. */
  completeUntil: string;
  timeZone: string;
  /** Whether the sums of each kind count rejected requests. */
  countsRejected: ReturnType<typeof countsRejected>;
  grouping: ({ by: GroupBy } & GroupList) | null;
  series: { interval: Interval; elements: SeriesElement[] } | null;
  previous: PreviousSummary | null;
}

interface PreviousSummary {
  totals: Totals;
  window: SummaryWindow;
  /** The local days of the range, and those of them with requests; `null` if there are too many to count. */
  days: { withRequests: number; total: number } | null;
  /** The groups that the report lists, then the others that would be listed for this range alone. */
  groups: GroupList | null;
}

/** In RFC 3339; `null` for an omitted bound. */
export interface SummaryWindow {
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
  const { groupBy, series } = query;
  const { isOpen, presentMs } = query.windowInResponse;
  const { window, roundedTo, previous, completeUntilMs } = costs;
  const rows = { total: costs.totalRows, group: costs.groupRows };
  const totals = totalsOf(query, rows);
  const groups = groupBy === null ? null : groupsOf(query, groupBy, rows, totals);
  const listed = groups === null ? [] : topGroups(groups, query.selection);
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
    countsRejected: countsRejected(query),
    grouping: groupBy === null || groups === null ? null : { by: groupBy, ...listGroups(groups, listed) },
    series: series && { interval: series.interval, elements: summarizeSeries(query, costs, listed) },
    previous: previous && summarizePrevious(query, previous, listed),
  };
}

interface Rows {
  total: readonly ElementRow[];
  group: readonly ElementRow[];
}

/** The rows of totals have no model of rejected requests, which a filter may require. */
function totalsOf({ dimensions }: CostQuery, { total, group }: Rows): Totals {
  const totals = sumRows(total);
  if (dimensions.groups !== 'error_code') return totals;
  return { ...totals, rejected_requests: sumRows(group).rejected_requests };
}

function summarizeSeries(query: CostQuery, costs: CostRows, listed: GroupValue[]): SeriesElement[] {
  const { groupBy } = query;
  const { presentMs } = query.windowInResponse;
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
  { totalRows, groupRows, elements, window, roundedTo }: CostRows,
  listed: readonly GroupValue[],
): PreviousSummary {
  const { groupBy, previous, selection } = query;
  const rows = { total: totalRows, group: groupRows };
  const totals = totalsOf(query, rows);
  const groups = groupBy === null ? null : groupsOf(query, groupBy, rows, totals);
  // A range that is rounded can have a day more than the one that was requested.
  const countsDays = previous?.days && elements.length <= maxCountedDays;
  return {
    totals,
    window: { start: timestamp(window.startMs), end: timestamp(window.endMs), roundedTo },
    days: countsDays ? { withRequests: countElements(totalRows), total: elements.length } : null,
    groups: groups && listGroups(groups, [...new Set([...listed, ...topGroups(groups, selection)])]),
  };
}

/** The elements with requests. */
function countElements(rows: readonly ElementRow[]): number {
  const elements = Map.groupBy(rows, ({ element }) => element).values();
  return [...elements].filter((members) => sumRows(members).requests > 0).length;
}

function groupsOf(query: CostQuery, groupBy: GroupBy, { group }: Rows, all: Totals): CostGroups {
  const { dimensions } = query;
  const hasNames = groupBy === 'model' || groupBy === 'provider';
  const rows = hasNames ? group.filter((row) => isInCosts(row, dimensions.groups)) : group;
  const groups = sumGroups(rows.map((row) => toGroupTotals(groupBy, row)));
  // Errors are a part of the requests, and every request has a key.
  if (groupBy === 'error_code' || groupBy === 'api_key') return groups;
  const comparable = hasHistograms(dimensions.groups) ? all : { ...all, histograms: {} };
  return withRest(groups, comparable, countsRejected(query).groups);
}

function toGroupTotals(
  groupBy: GroupBy,
  { provider, operation, model, value, totals }: CostRollup,
): GroupTotals {
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
    .filter(([model, totals]) => model !== '' && countedRequests(totals) > 0);
  return Object.fromEntries(models.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function timestamp(timestampMs: number): string {
  return new Date(timestampMs).toISOString();
}
