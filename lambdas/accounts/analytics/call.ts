import type { DashboardRequest } from '../http/dashboard-request.ts';
import type { DashboardResponse } from '../http/dashboard-response.ts';
import { apiPath, type PathParameters, type RoutePath } from '../http/router.ts';
import type { OrganizationMembership } from '../members/require-membership.ts';
import type { Permission } from '../permissions.ts';
import type { AnalyticsServices } from './services.ts';

/** A call about an organization, of which the user is a member with the permission of the route. */
export interface AnalyticsCall extends DashboardRequest, OrganizationMembership {
  parameters: PathParameters;
}

export type AnalyticsHandler = (
  call: AnalyticsCall,
  services: AnalyticsServices,
) => Promise<DashboardResponse>;

export interface AnalyticsRoute extends RoutePath {
  method: 'GET';
  permission: Permission;
  handle: AnalyticsHandler;
}

/** `path` is below that of the organization's analytics, such as `/logs/{id}`. */
export function analyticsRoute(path: string, handle: AnalyticsHandler): AnalyticsRoute {
  return {
    method: 'GET',
    path: `${apiPath}/analytics/{organization}${path}`,
    permission: 'view',
    handle,
  };
}
