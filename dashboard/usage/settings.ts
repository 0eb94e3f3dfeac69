/** Reads the view's settings from a link, and corrects those that are not possible together. */
import type { CostParameters, Filters } from '#dashboard/api/analytics.ts';
import { groupOfFilter, parseCostFilters, valueFilterOf } from '#dashboard/filters/cost-filters.ts';
import { filterFields } from '#dashboard/filters/fields.ts';
import { capitalize, groupTitles, isRowGroup } from '#dashboard/metrics/groups.ts';
import {
  type MetricName,
  metricNames,
  metrics,
  rejectedReason,
  unavailableReason,
} from '#dashboard/metrics/metrics.ts';
import type { Range } from '#dashboard/range/range.ts';
import type { GroupBy, Interval } from '#lambdas/accounts/analytics/responses.ts';
import { type GroupChoice, groupOptions, intervals, type TopCount, type UsageSearch } from './search.ts';

export interface UsageSettings {
  metric: MetricName;
  group: GroupBy | null;
  interval: Interval;
  top: TopCount;
  filters: Filters;
}

/** An option with the reason why it cannot be chosen; `null` if it can. */
interface Choice<Value extends string> {
  value: Value;
  label: string;
  reason: string | null;
}

export function usageSettings(search: UsageSearch, range: Range): UsageSettings {
  const filters = parseCostFilters({ ...search });
  const requested = search.group ?? 'model';
  const grouping = groupReason(requested, filters) === null ? requested : 'model';
  const group = grouping === 'none' ? null : grouping;
  return {
    metric: possibleMetric(search.metric ?? defaultMetric(group, filters), group, filters),
    group,
    interval: possibleInterval(search.interval, group, filters, range),
    top: search.top ?? '8',
    filters,
  };
}

/** Most errors cost nothing. */
function defaultMetric(group: GroupBy | null, filters: Filters): MetricName {
  return group === 'error_code' || filters.error_code !== undefined ? 'errors' : 'cost';
}

function possibleMetric(metric: MetricName, group: GroupBy | null, filters: Filters): MetricName {
  if (metricReason(metric, group, filters) === null) return metric;
  return metric === 'error_rate' || metric === 'rejected' ? 'errors' : 'mean_latency';
}

function possibleInterval(
  interval: Interval | undefined,
  group: GroupBy | null,
  filters: Filters,
  range: Range,
): Interval {
  const isPossible = (each: Interval) => intervalReason(each, group, filters, range) === null;
  const wanted = [interval ?? range.interval, range.interval, ...range.intervals];
  return wanted.find(isPossible) ?? range.interval;
}

export function metricChoices({ group, filters }: UsageSettings): Choice<MetricName>[] {
  return metricNames.map((value) => ({
    value,
    label: metrics[value].title,
    reason: metricReason(value, group, filters),
  }));
}

export function groupChoices({ filters }: UsageSettings): Choice<GroupChoice>[] {
  return groupOptions.map((value) => ({
    value,
    label: value === 'none' ? 'Nothing' : capitalize(groupTitles[value].one),
    reason: groupReason(value, filters),
  }));
}

const intervalTitles: Record<Interval, string> = {
  minute: 'Minute',
  hour: 'Hour',
  day: 'Day',
  month: 'Month',
};

export function intervalChoices({ group, filters }: UsageSettings, range: Range): Choice<Interval>[] {
  return intervals.map((value) => ({
    value,
    label: intervalTitles[value],
    reason: intervalReason(value, group, filters, range),
  }));
}

function metricReason(metric: MetricName, group: GroupBy | null, filters: Filters): string | null {
  const valueFilter = valueFilterOf(filters);
  const groups = [group, valueFilter && groupOfFilter[valueFilter]];
  const isOfErrors = groups.includes('error_code');
  if (metric === 'error_rate' && isOfErrors) return 'Each request with an error code is an error';
  if (metric === 'rejected') {
    if (isOfErrors) return null;
    if (hasUnknownOfRejected(filters)) return rejectedReason;
  }
  return unavailableReason(metric, groups[0] ?? null) ?? unavailableReason(metric, groups[1] ?? null);
}

/** Whether a filter is by something that is unknown of requests that were rejected. */
function hasUnknownOfRejected({ model, provider, service_tier }: Filters): boolean {
  return [model, provider, service_tier].some((value) => value !== undefined);
}

function groupReason(group: GroupChoice, filters: Filters): string | null {
  const valueFilter = valueFilterOf(filters);
  if (valueFilter === null || group === 'none' || isRowGroup(group)) return null;
  return `Excluded by the filter by ${filterFields[valueFilter].title.toLowerCase()}`;
}

function intervalReason(
  interval: Interval,
  group: GroupBy | null,
  filters: Filters,
  range: Range,
): string | null {
  if (!range.intervals.includes(interval)) {
    return intervals.indexOf(interval) < intervals.indexOf(range.interval)
      ? `Too many ${interval}s in this range`
      : `Longer than this range`;
  }
  const hasMinutes = valueFilterOf(filters) === null && (group === null || isRowGroup(group));
  return interval === 'minute' && !hasMinutes
    ? 'Sums by minute exist only of models, providers and operations'
    : null;
}

/** More groups make an unreadable chart: the table has the others. */
const maxChartGroups = 20;
const chartGroupsOfAll = 8;

/** The number of groups in the chart. */
export function chartTop({ top }: Pick<UsageSettings, 'top'>): number {
  return Number(top) > maxChartGroups ? chartGroupsOfAll : Number(top);
}

/** @param withInterval false for the totals alone, which read fewer rows */
export function costParameters(
  settings: UsageSettings,
  { bounds }: Range,
  withInterval = true,
): CostParameters {
  const { group, interval, filters } = settings;
  return {
    ...bounds,
    ...filters,
    ...(group !== null && {
      group_by: group,
      limit: withInterval ? chartTop(settings) : Number(settings.top),
    }),
    ...(withInterval && { interval }),
  };
}
