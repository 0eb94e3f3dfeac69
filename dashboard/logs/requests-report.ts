import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { costsQuery, type Filters } from '#dashboard/api/analytics.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
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
