import { endOfPeriod, type Period, startOfPeriod } from '#lambdas/costs/rollups/period.ts';
import type { CostRollup } from '#lambdas/costs/rollups/rollup.ts';
import { addTotals, noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { type GroupList, type GroupValue, listGroups, sumGroups, topByCost } from './groups.ts';
import type { CostQuery, GroupBy, Interval } from './query.ts';
import type { CostRows } from './read.ts';

export interface CostSummary {
  totals: Totals;
  /** By model name without the provider prefix. */
  byModel: Record<string, Totals>;
  /** In RFC 3339; `null` for an omitted bound. */
  window: { start: string | null; end: string | null; roundedTo: Period | null };
  grouping: ({ by: GroupBy } & GroupList) | null;
  series: { interval: Interval; elements: SeriesElement[] } | null;
}

export interface SeriesElement {
  start: string;
  end: string;
  totals: Totals;
  /** The groups of the whole window's list that have requests in this element; `null` when the query does not group. */
  groups: GroupList | null;
}

export function summarizeCosts(query: CostQuery, costs: CostRows): CostSummary {
  const { groupBy, interval, limit, isOpen } = query;
  const { window, roundedTo } = costs;
  const totals = sumTotals(costs.totalRows);
  const groups = groupBy === null ? null : sumGroups(groupValuesOf(groupBy, costs.groupRows), totals);
  const listed = groups === null ? [] : topByCost(groups, limit);
  return {
    totals,
    byModel: sumByModel(costs.totalRows),
    window: {
      start: isOpen.start ? null : timestamp(window.startMs),
      end: isOpen.end ? null : timestamp(window.endMs),
      roundedTo,
    },
    grouping: groupBy === null || groups === null ? null : { by: groupBy, ...listGroups(groups, listed) },
    series:
      interval === null ? null : { interval, elements: summarizeSeries(costs, interval, groupBy, listed) },
  };
}

function summarizeSeries(
  costs: CostRows,
  interval: Interval,
  groupBy: GroupBy | null,
  listed: GroupValue[],
): SeriesElement[] {
  const periodOf = ({ startMs }: { startMs: number }) => startOfPeriod(interval, startMs);
  const totalsByPeriod = Map.groupBy(costs.totalRows, periodOf);
  const groupsByPeriod = Map.groupBy(costs.groupRows, periodOf);
  return splitByPeriod(costs.window, interval).map((element) => {
    const totals = sumTotals(totalsByPeriod.get(periodOf(element)) ?? []);
    const parts = groupsByPeriod.get(periodOf(element)) ?? [];
    return {
      start: timestamp(element.startMs),
      end: timestamp(element.endMs),
      totals,
      groups: groupBy === null ? null : listGroups(sumGroups(groupValuesOf(groupBy, parts), totals), listed),
    };
  });
}

/** The periods that overlap the window, in order; the first and the last are clipped to the window. */
function splitByPeriod(window: TimeWindow, period: Period): TimeWindow[] {
  const elements: TimeWindow[] = [];
  for (let { startMs } = window; startMs < window.endMs; ) {
    const endMs = Math.min(endOfPeriod(period, startMs), window.endMs);
    elements.push({ startMs, endMs });
    startMs = endMs;
  }
  return elements;
}

function* groupValuesOf(
  groupBy: GroupBy,
  costs: CostRollup[],
): Iterable<{ value: GroupValue; totals: Totals }> {
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
