import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { routeActivityQuery } from '#dashboard/api/routes.ts';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { formatRequests } from '#dashboard/components/values/number-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { RouteActivity } from '#lambdas/accounts/analytics/responses.ts';
import type { RouteSummary } from '#lambdas/accounts/organizations/responses.ts';
import { TargetTable } from './target-table.tsx';

/** The targets of a route with their last hour, which is read while this is shown. */
export function Activity({ route }: { route: RouteSummary }) {
  const { id: organizationId } = useOrganization();
  const query = useQuery(routeActivityQuery(organizationId, route.name));
  return (
    <>
      {query.data ? (
        <p role="status" className="px-5 pt-2 text-[0.8125rem] tabular-nums">
          {activityText(query.data)}{' '}
          {query.data.requests > 0 && (
            <Link
              to="/organizations/$organizationId/logs"
              params={{ organizationId }}
              search={{ range: '1h', route: route.name }}
              className="rounded-sm underline underline-offset-2"
            >
              Show in logs
            </Link>
          )}
        </p>
      ) : (
        <QueryStatus
          query={query}
          skeleton={<p className="px-5 pt-2 text-[0.8125rem] text-muted">Reading the last hour…</p>}
        />
      )}
      <TargetTable route={route} activity={query.data ?? null} />
    </>
  );
}

/** Returns text such as "1,234 requests in the last hour, of which 5 failed.". */
export function activityText({
  requests,
  failed_requests: failed,
  complete: isComplete,
}: RouteActivity): string {
  if (requests === 0) return 'No requests in the last hour.';
  const failures = failed === 0 ? 'none failed' : `${failed} failed`;
  const text = `${formatRequests(requests)} in the last hour, of which ${failures}.`;
  return isComplete ? text : `${text} These are the newest: there were more than are read.`;
}
