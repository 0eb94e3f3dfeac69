/** The answer of `GET /api/costs`, of what was counted. */
import { dearestValues, type GroupList, type GroupValue, listGroups, sumGroups } from './cost-groups.ts';
import type { CostQuery, GroupBy } from './cost-query.ts';
import { type Interval, seriesOf, splitIntoSeries } from './cost-series.ts';
import type { Period } from './period.ts';
import type { CostRollup } from './rollup.ts';
import type { TimeWindow } from './time-window.ts';
import { addTotals, noTotals, type Totals } from './totals.ts';

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
  const listed = groups === null ? [] : dearestValues(groups, limit);
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
