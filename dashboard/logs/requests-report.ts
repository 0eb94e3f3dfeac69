import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { costsQuery, type Filters } from '#dashboard/api/analytics.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import {
  costFilterNames,
  isValueFilter,
  type ValueFilterName,
  valueFilterOf,
} from '#dashboard/filters/cost-filters.ts';
import { type ConditionName, filterNames } from '#dashboard/filters/fields.ts';
import { figureNames, hasBounds } from '#dashboard/filters/figures.ts';
import type { Conditions } from '#dashboard/filters/logs-search.ts';
import { useRange } from '#dashboard/range/range-bar.tsx';
import type { CostReport, Interval } from '#lambdas/accounts/analytics/responses.ts';

export interface RequestsReport {
  query: UseQueryResult<CostReport>;
  /** The conditions that the report leaves out. */
  omitted: readonly ConditionName[];
}

/** The requests of the view's range over time, as far as sums can answer its filters. */
export function useRequestsReport(filters: Conditions): RequestsReport {
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
  /** The conditions that the chart leaves out. */
  omitted: readonly ConditionName[];
}

export function chartFilters(filters: Conditions): ChartFilters {
  const value = valuesBySelectivity.find((name) => filters[name] !== undefined);
  const applied: Filters = {};
  for (const name of costFilterNames) {
    const isApplied = !isValueFilter(name) || name === value;
    if (isApplied && filters[name] !== undefined) applied[name] = filters[name];
  }
  const omitted = filterNames.filter((name) => filters[name] !== undefined && !(name in applied));
  return { applied, omitted: [...omitted, ...figureNames.filter((name) => hasBounds(filters, name))] };
}

/** Sums by a single value do not exist by the minute. */
export function chartInterval(interval: Interval, applied: Filters): Interval {
  return interval === 'minute' && valueFilterOf(applied) !== null ? 'hour' : interval;
}
