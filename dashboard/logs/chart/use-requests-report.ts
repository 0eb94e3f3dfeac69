import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { FilterName, FilterValues } from '#dashboard/filters/fields.ts';
import { useRange } from '#dashboard/range/range-bar.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { chartFilters, chartInterval } from './chart-filters.ts';

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
