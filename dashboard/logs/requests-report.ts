import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { costsQuery, type Filters } from '#dashboard/api/analytics.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import {
  costFilterNames,
  isValueFilter,
  type ValueFilterName,
  valueFilterOf,
} from '#dashboard/filters/cost-filters.ts';
import { type FilterName, type FilterValues, filterNames } from '#dashboard/filters/fields.ts';
import { useRange } from '#dashboard/range/range-bar.tsx';
import type { CostReport, Interval } from '#lambdas/accounts/analytics/responses.ts';

export interface RequestsReport {
  query: UseQueryResult<CostReport>;
  /** The filters that the report leaves out. */
  omitted: readonly FilterName[];
}

/** The requests of the view's range over time, as far as sums can answer its filters. */
export function useRequestsReport(filters: FilterValues): RequestsReport {
  const { id: organizationId } = useOrganization();
  const { bounds, interval } = useRange();
  const { applied, omitted } = chartFilters(filters);
  const parameters = { ...bounds, ...applied, interval: chartInterval(interval, applied) };
  return { query: useQuery(costsQuery(organizationId, parameters)), omitted };
}

/** The filters by one value, the one with the fewest requests first. */
const valuesBySelectivity: readonly ValueFilterName[] = [
  'session_id',
  'user_id',
  'prompt_id',
  'api_key_id',
  'error_code',
];

interface ChartFilters {
  applied: Filters;
  /** The filters that the chart leaves out. */
  omitted: readonly FilterName[];
}

export function chartFilters(filters: FilterValues): ChartFilters {
  const value = valuesBySelectivity.find((name) => filters[name] !== undefined);
  const applied: Filters = {};
  for (const name of costFilterNames) {
    const isApplied = !isValueFilter(name) || name === value;
    if (isApplied && filters[name] !== undefined) applied[name] = filters[name];
  }
  const omitted = filterNames.filter((name) => filters[name] !== undefined && !(name in applied));
  return { applied, omitted };
}

/** Sums by a single value do not exist by the minute. */
export function chartInterval(interval: Interval, applied: Filters): Interval {
  return interval === 'minute' && valueFilterOf(applied) !== null ? 'hour' : interval;
}
