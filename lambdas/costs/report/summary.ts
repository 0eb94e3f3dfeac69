/** The answer of `GET /api/costs`, of what was counted. */

import { subtractUsd } from '#lambdas/platform/money.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { Period } from '../rollups/period.ts';
import type { CostRollup } from '../rollups/rollup.ts';
import { addTotals, noTotals, subtractTotals, type Totals } from '../rollups/totals.ts';
import { type CostQuery, type GroupBy, type Interval, seriesOf, splitIntoSeries } from './query.ts';
/** What matches the question. */
export interface CountedCosts {
  /** What was summed: the window that was asked for, or where that could not be exact, a rounded one. */
  window: TimeWindow;
  roundedTo: Period | null;
  /** Every request once. */
  totals: CostRollup[];
  /** Every request that has a value to group by, once. */
  groups: CostRollup[];
}

export interface CostSummary {
  totals: Totals;
  /** By model name without the provider prefix. */
  byModel: Record<string, Totals>;
  /** RFC 3339; `null` is an open bound. */
  window: { start: string | null; end: string | null; roundedTo: Period | null };
  grouping: ({ by: GroupBy } & GroupList) | null;
  series: { interval: Interval; elements: SeriesElement[] } | null;
}

export interface SeriesElement {
  start: string;
  end: string;
  totals: Totals;
  /** Those groups of the whole window's list that have requests in this element. */
  grouping: GroupList | null;
}

export function summarizeCosts(query: CostQuery, costs: CountedCosts): CostSummary {
  const { groupBy, interval, limit, isOpen } = query;
  const { window, roundedTo } = costs;
  const totals = sumTotals(costs.totals);
  const groups = groupBy === null ? null : sumGroups(valuesOf(groupBy, costs.groups), totals);
  const listed = groups === null ? [] : topByCost(groups, limit);
  return {
    totals,
    byModel: sumByModel(costs.totals),
    window: {
      start: isOpen.start ? null : timestamp(window.startMs),
      end: isOpen.end ? null : timestamp(window.endMs),
      roundedTo,
    },
    grouping: groupBy === null || groups === null ? null : { by: groupBy, ...listGroups(groups, listed) },
    series:
      interval === null
        ? null
        : { interval, elements: elementsOf(costs, { window, interval, groupBy, listed }) },
  };
}

interface SeriesQuery {
  window: TimeWindow;
  interval: Interval;
  groupBy: GroupBy | null;
  listed: GroupValue[];
}

function elementsOf(costs: CountedCosts, query: SeriesQuery): SeriesElement[] {
  const { window, interval, groupBy, listed } = query;
  const totalsOf = splitIntoSeries(costs.totals, query);
  const groupsOf = groupBy === null ? [] : splitIntoSeries(costs.groups, query);
  return seriesOf(window, interval).map(({ startMs, endMs }, place) => {
    const totals = sumTotals(totalsOf[place] ?? []);
    const grouping =
      groupBy === null
        ? null
        : listGroups(sumGroups(valuesOf(groupBy, groupsOf[place] ?? []), totals), listed);
    return { start: timestamp(startMs), end: timestamp(endMs), totals, grouping };
  });
}

function* valuesOf(groupBy: GroupBy, costs: CostRollup[]): Iterable<{ value: GroupValue; totals: Totals }> {
  for (const { provider, model, value, totals } of costs) {
    yield { value: groupBy === 'model' ? model : groupBy === 'provider' ? provider : value, totals };
  }
}

function sumTotals(costs: CostRollup[]): Totals {
  return costs.reduce((sum, { totals }) => addTotals(sum, totals), noTotals);
}

function sumByModel(costs: CostRollup[]): Record<string, Totals> {
  const models = new Map<string, Totals>();
  for (const { model, totals } of costs) models.set(model, addTotals(models.get(model) ?? noTotals, totals));
  return Object.fromEntries([...models].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function timestamp(timestampMs: number): string {
  return new Date(timestampMs).toISOString();
}

// Costs by a value that requests have in common, the dearest first.

/** `null` stands for the requests that have no such value. */
export type GroupValue = string | null;

export type CostGroups = Map<GroupValue, Totals>;

/** The groups that are told one by one, and what the rest has in common: together they are all there is. */
export interface GroupList {
  groups: { value: GroupValue; totals: Totals }[];
  other: { groups: number; totals: Totals } | null;
}

/** What has no value is not counted by it: the group `null` is what is left of `all`. */
export function sumGroups(parts: Iterable<{ value: GroupValue; totals: Totals }>, all: Totals): CostGroups {
  const groups: CostGroups = new Map();
  for (const { value, totals } of parts) {
    if (value !== null) groups.set(value, addTotals(groups.get(value) ?? noTotals, totals));
  }
  const rest = subtractTotals(all, sumOf(groups.values()));
  return rest.requests > 0 ? groups.set(null, rest) : groups;
}

/** The dearest values; of those that cost the same, the ones with more requests, then in order of their text. */
export function topByCost(groups: CostGroups, limit: number): GroupValue[] {
  return [...groups]
    .sort(byRank)
    .slice(0, limit)
    .map(([value]) => value);
}

/** The groups of these values, in this order and as far as there are any. */
export function listGroups(groups: CostGroups, values: GroupValue[]): GroupList {
  const rest = new Map(groups);
  const listed = values.flatMap((value) => {
    const totals = groups.get(value);
    rest.delete(value);
    return totals === undefined ? [] : [{ value, totals }];
  });
  return {
    groups: listed,
    other: rest.size === 0 ? null : { groups: rest.size, totals: sumOf(rest.values()) },
  };
}

function sumOf(totals: Iterable<Totals>): Totals {
  let sum = noTotals;
  for (const each of totals) sum = addTotals(sum, each);
  return sum;
}

function byRank([value, totals]: [GroupValue, Totals], [otherValue, others]: [GroupValue, Totals]): number {
  return (
    compareUsd(others.cost_usd, totals.cost_usd) ||
    others.requests - totals.requests ||
    compareValues(value, otherValue)
  );
}

/** Rounding keeps the order, so only amounts that are equal when rounded are compared by every digit. */
function compareUsd(one: string, other: string): number {
  return Number(one) - Number(other) || Math.sign(Number(subtractUsd(one, other)));
}

function compareValues(one: GroupValue, other: GroupValue): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : Number(one > other);
}
