import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { DashboardRequest } from '../http/dashboard-request.ts';
import type { DashboardResponse } from '../http/dashboard-response.ts';
import { apiPath, type PathParameters, type RoutePath } from '../http/router.ts';
import type { Identity } from '../identity.ts';
import type { OrganizationMembership } from '../members/require-membership.ts';
import type { Permission } from '../permissions.ts';
import type { OrganizationServices } from './services.ts';

/** A call of the page for a signed-in user. */
export interface UserCall extends DashboardRequest {
  user: Identity;
  parameters: PathParameters;
  /** Records changes as made by the user. */
  audit: AuditTrail;
}

/** A call about an organization, of which the user is a member with the permission of the route. */
export interface OrganizationCall extends UserCall, OrganizationMembership {}

type Handler<Request> = (request: Request, services: OrganizationServices) => Promise<DashboardResponse>;

export type PublicHandler = Handler<DashboardRequest>;
export type UserHandler = Handler<UserCall>;
export type OrganizationHandler = Handler<OrganizationCall>;

export type Route = RoutePath &
  (
    | { kind: 'public call'; handle: PublicHandler }
    | { kind: 'user call'; handle: UserHandler }
    | {
        /** The path begins with `/dashboard/api/organizations/{organization}`. */
        kind: 'organization call';
        permission: Permission;
        handle: OrganizationHandler;
      }
  );

/** `path` is below that of the organization, such as `/keys/{key}`, or empty. */
export function organizationRoute(
  method: RoutePath['method'],
  path: string,
  permission: Permission,
  handle: OrganizationHandler,
): Route {
  const kind = 'organization call';
  return { method, path: `${apiPath}/organizations/{organization}${path}`, kind, permission, handle };
}
