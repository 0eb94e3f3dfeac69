import type { Filters } from '#dashboard/api/analytics.ts';
import { parseCostFilters } from '#dashboard/filters/cost-filters.ts';
import { isMetricName, type MetricName } from '#dashboard/metrics/metrics.ts';
import { parseRangeSearch, type RangeSearch } from '#dashboard/range/range.ts';
import type { GroupBy, Interval } from '#lambdas/accounts/analytics/responses.ts';
import { type ComparisonSearch, parseComparisonSearch } from './comparison/choice.ts';

/** Parameters that are missing have their default. */
export interface UsageSearch extends RangeSearch, Filters, ComparisonSearch {
  metric?: MetricName;
  group?: GroupChoice;
  interval?: Interval;
  top?: TopCount;
  /** A point that was chosen: the start of its period. */
  point?: string;
  /** The series of the point; all together if it is missing. */
  series?: string;
}

/** `none`: all requests together. */
export type GroupChoice = GroupBy | 'none';

export const groupOptions = [
  'none',
  'model',
  'provider',
  'operation',
  'api_key',
  'prompt_id',
  'session_id',
  'user_id',
  'route',
  'error_code',
] as const satisfies readonly GroupChoice[];

export const intervals = ['minute', 'hour', 'day', 'month'] as const satisfies readonly Interval[];

export const topCounts = ['5', '8', '20', '100'] as const;

/** The number of groups that are shown, before the rest; 100 are as many as the API lists: all, for most organizations. */
export type TopCount = (typeof topCounts)[number];

/** Ignores what is not valid. */
export function parseUsageSearch(search: Record<string, unknown>): UsageSearch {
  const { metric, group, interval, top, point, series } = search;
  const hasPoint = typeof point === 'string' && !Number.isNaN(Date.parse(point));
  return {
    ...parseRangeSearch(search),
    ...parseCostFilters(search),
    ...parseComparisonSearch(search),
    metric: isMetricName(metric) ? metric : undefined,
    group: groupOptions.find((known) => known === group),
    interval: intervals.find((known) => known === interval),
    top: topCounts.find((known) => known === top),
    point: hasPoint ? point : undefined,
    series: hasPoint && typeof series === 'string' ? series : undefined,
  };
}
