/** Queries of the routes of an organization: names for lists of models. */
import { queryOptions } from '@tanstack/react-query';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { analyticsPath } from './analytics.ts';
import { get } from './client.ts';
import { organizationPath } from './organizations.ts';

export function routePath<Resource extends string = ''>(
  organizationId: string,
  name: string,
  resource = '' as Resource,
): `/organizations/${string}/routes/${string}${Resource}` {
  return organizationPath(organizationId, `/routes/${encodeURIComponent(name)}${resource}`);
}

/** The routes of the organization and of the operator, by name. */
export function routeListQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'routes'],
    queryFn: ({ signal }) => get(analyticsPath(organizationId, '/routes'), signal),
  });
}

/** The attempts of the last hour. */
export function routeActivityQuery(organizationId: string, name: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'route-activity', name],
    queryFn: ({ signal }) =>
      get(analyticsPath(organizationId, `/routes/${encodeURIComponent(name)}/activity`), signal),
    refetchInterval: minuteMs,
  });
}
