/** The reports of the overview, which the router starts to load together with its code. */
import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { comparisonOf } from '#dashboard/range/comparison.ts';
import { type Range, type RangeSearch, resolveRange } from '#dashboard/range/range.ts';

const maxModels = 8;

/** The report of the tiles and the chart. */
export function overviewQuery(organizationId: string, range: Range) {
  const { secondRange } = comparisonOf(range);
  const parameters = {
    ...range.bounds,
    interval: range.interval,
    group_by: 'model' as const,
    limit: maxModels,
    compare: secondRange === null ? ('previous' as const) : undefined,
  };
  return costsQuery(organizationId, parameters, secondRange);
}

const topGroups = ['api_key', 'prompt_id', 'user_id'] as const;

export type TopGroup = (typeof topGroups)[number];

const maxGroups = 5;

export function topGroupsQuery(organizationId: string, { bounds }: Range, group: TopGroup) {
  return costsQuery(organizationId, { ...bounds, group_by: group, limit: maxGroups });
}

export function loadOverview(queryClient: QueryClient, organizationId: string, search: RangeSearch): void {
  const range = resolveRange(search, new Date());
  void queryClient.prefetchQuery(overviewQuery(organizationId, range));
  for (const group of topGroups) {
    void queryClient.prefetchQuery(topGroupsQuery(organizationId, range, group));
  }
}

/** Returns the query as if it were loading although it has data. A failure stays one. */
export function asLoading<Data>(query: UseQueryResult<Data>): UseQueryResult<Data> {
  return { ...query, data: undefined } as UseQueryResult<Data>;
}
