/** The filters of the list that the sums behind the chart can answer. */
import type { Filters } from '#dashboard/api/analytics.ts';
import { type FilterName, type FilterValues, filterNames } from '#dashboard/filters/fields.ts';
import type { Interval } from '#lambdas/accounts/analytics/responses.ts';

/** Combine with each other and with one of `valueFilters`. */
const modelFilters = ['model', 'provider', 'operation', 'service_tier'] as const;

/** Sums exist by each of these alone. The one with the fewest requests comes first. */
const valueFilters = ['session_id', 'user_id', 'prompt_id', 'api_key_id', 'error_code'] as const;

interface ChartFilters {
  applied: Filters;
  /** The filters that the chart leaves out. */
  omitted: readonly FilterName[];
}

export function chartFilters(filters: FilterValues): ChartFilters {
  const value = valueFilters.find((name) => filters[name] !== undefined);
  const applied: Filters = {};
  for (const name of [...modelFilters, ...(value ? [value] : [])]) {
    if (filters[name] !== undefined) applied[name] = filters[name];
  }
  const omitted = filterNames.filter((name) => filters[name] !== undefined && !(name in applied));
  return { applied, omitted };
}

/** Sums by a single value do not exist by the minute. */
export function chartInterval(interval: Interval, applied: Filters): Interval {
  const hasValue = valueFilters.some((name) => applied[name] !== undefined);
  return interval === 'minute' && hasValue ? 'hour' : interval;
}
