/** Adds up the rows of a query: the totals, the groups, and the elements of a series. */

import { type CostRollup, hasHistograms, isInCosts } from '#lambdas/costs/rollups/rollup.ts';
import { isZero, subtractTotals, sumTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { subtractUsd } from '#lambdas/platform/money.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { CostQuery, GroupBy } from './query.ts';
import type { CostRows, Costs } from './read.ts';
import type { ElementRow } from './read-rows.ts';
import type { FinestPeriod, Interval } from './window.ts';

export interface CostSummary {
  totals: Totals;
  /** By model name without the provider prefix. */
  byModel: Record<string, Totals>;
  window: SummaryWindow;
  /** In RFC 3339. */
  completeUntil: string;
  timeZone: string;
  /** Whether the sums of each kind count rejected requests. */
  countsRejected: Record<'totals' | 'groups' | 'byModel', boolean>;
  grouping: ({ by: GroupBy } & GroupList) | null;
  series: { interval: Interval; elements: SeriesElement[] } | null;
  previous: { totals: Totals; window: SummaryWindow } | null;
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

/** `null` is the group of the requests without a value. */
type GroupValue = string | null;

type CostGroups = Map<GroupValue, Totals>;

interface GroupTotals {
  value: GroupValue;
  totals: Totals;
}

/** `other` is the sum of the groups that are not listed; `null` when all are listed. */
export interface GroupList {
  groups: GroupTotals[];
  other: { groups: number; totals: Totals } | null;
}

export function summarizeCosts(query: CostQuery, costs: Costs): CostSummary {
  const { groupBy, series, limit } = query;
  const { isOpen, presentMs } = query.windowInResponse;
  const { window, roundedTo, previous, completeUntilMs } = costs;
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
    countsRejected: countsRejected(query),
    grouping: groupBy === null || groups === null ? null : { by: groupBy, ...listGroups(groups, listed) },
    series: series && { interval: series.interval, elements: summarizeSeries(query, costs, listed) },
    previous: previous && summarizePrevious(query, previous),
  };
}

/** Of rejected requests, only their operation, key and error code are known, and by error code the names that were requested. */
function countsRejected({
  filters,
  serviceTier,
  valueFilter,
  groupBy,
  dimensions,
}: CostQuery): CostSummary['countsRejected'] {
  const isByCode = dimensions.groups === 'error_code';
  const isOfModel = filters.some(({ model, provider }) => model !== undefined || provider !== undefined);
  const isOfValue = valueFilter !== null && valueFilter.parameter !== 'api_key_id';
  const totals = serviceTier === null && (isByCode || !(isOfModel || isOfValue));
  return {
    totals,
    groups: totals && (isByCode || groupBy === 'api_key' || groupBy === 'operation'),
    byModel: totals && isByCode && valueFilter !== null,
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
  { totalRows, groupRows, window, roundedTo }: CostRows,
): CostSummary['previous'] {
  return {
    totals: totalsOf(query, { total: totalRows, group: groupRows }),
    window: { start: timestamp(window.startMs), end: timestamp(window.endMs), roundedTo },
  };
}

function groupsOf({ dimensions }: CostQuery, groupBy: GroupBy, { group }: Rows, all: Totals): CostGroups {
  const hasNames = groupBy === 'model' || groupBy === 'provider';
  const rows = hasNames ? group.filter((row) => isInCosts(row, dimensions.groups)) : group;
  const groups = sumGroups(rows.map((row) => toGroupTotals(groupBy, row)));
  // Errors are a part of the requests.
  if (groupBy === 'error_code') return groups;
  return withRest(groups, hasHistograms(dimensions.groups) ? all : { ...all, histograms: {} });
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

/** Omits groups whose rows cancel each other out. */
export function sumGroups(parts: Iterable<GroupTotals>): CostGroups {
  const groups: CostGroups = new Map();
  for (const [value, members] of Map.groupBy(parts, (part) => part.value)) {
    const totals = sumTotals(members.map((part) => part.totals));
    if (!isZero(totals)) groups.set(value, totals);
  }
  return groups;
}

/** Requests without a value have no rollup row: the group `null` is the difference between `all` and the others. */
export function withRest(groups: CostGroups, all: Totals): CostGroups {
  const rest = subtractTotals(all, sumTotals(groups.values()));
  return rest.requests > 0 ? new Map(groups).set(null, rest) : groups;
}

type CompareTotals = (one: Totals, other: Totals) => number;

/** Ties are resolved alphabetically. */
export function topGroups(groups: CostGroups, limit: number, compare: CompareTotals): GroupValue[] {
  return [...groups]
    .sort(
      ([value, totals], [otherValue, otherTotals]) =>
        compare(totals, otherTotals) || compareValues(value, otherValue),
    )
    .slice(0, limit)
    .map(([value]) => value);
}

/** Most expensive first, then most requests. */
export function byCost(one: Totals, other: Totals): number {
  return compareUsd(other.cost_usd, one.cost_usd) || other.requests - one.requests;
}

/** Most requests first, not by cost: most errors cost nothing. */
export function byErrors(one: Totals, other: Totals): number {
  return other.requests + other.rejected_requests - (one.requests + one.rejected_requests);
}

/** Lists the groups in the order of `values`. Omits values that have no group. */
export function listGroups(groups: CostGroups, values: GroupValue[]): GroupList {
  const rest = new Map(groups);
  const listed = values.flatMap((value) => {
    const totals = groups.get(value);
    rest.delete(value);
    return totals === undefined ? [] : [{ value, totals }];
  });
  return {
    groups: listed,
    other: rest.size === 0 ? null : { groups: rest.size, totals: sumTotals(rest.values()) },
  };
}

/** Rounding to a double keeps the order, so the exact difference is needed only for amounts that round to the same number. */
export function compareUsd(one: string, other: string): number {
  return Number(one) - Number(other) || Math.sign(Number(subtractUsd(one, other)));
}

function compareValues(one: GroupValue, other: GroupValue): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : Number(one > other);
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
