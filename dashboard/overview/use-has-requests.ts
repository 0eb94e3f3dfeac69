import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { costsQuery, logsQuery } from '#dashboard/api/analytics.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { resolveRange } from '#dashboard/range/range.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';

/** The interval at which the first request is looked for, in the log and then in the sums. */
export const firstRequestPollMs = 2000;

/**
 * Whether the organization has ever sent a request; `undefined` until it is known. Entries of the log expire, and the sums
 * do not include rejected requests, so both are asked, unless the report that the view shows has requests.
 */
export function useHasRequests(report: CostReport | undefined): boolean | undefined {
  const { id: organizationId } = useOrganization();
  const { bounds } = resolveRange({ range: '12m' }, new Date());
  const enabled = report?.totals.requests === 0;
  const entries = useInfiniteQuery({ ...logsQuery(organizationId, { limit: 1 }), enabled });
  const year = useQuery({ ...costsQuery(organizationId, bounds), enabled });
  if (report === undefined) return undefined;
  if (!enabled) return true;
  // If it cannot be found out, the overview has the last word.
  if (entries.isError || year.isError) return true;
  if (entries.data === undefined || year.data === undefined) return undefined;
  return entries.data.pages.some(({ data }) => data.length > 0) || year.data.totals.requests > 0;
}
