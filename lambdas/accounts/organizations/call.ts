import type { Organization } from '#lambdas/access/directory.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { DashboardRequest } from '../http/dashboard-request.ts';
import type { DashboardResponse } from '../http/dashboard-response.ts';
import { apiPath, type PathParameters, type RoutePath } from '../http/router.ts';
import type { Identity } from '../identity.ts';
import type { Membership } from '../members/membership.ts';
import { isAllowed, type Permission } from '../permissions.ts';
import type { OrganizationServices } from './services.ts';

/** A call of the page for a signed-in user. */
export interface UserCall extends DashboardRequest {
  user: Identity;
  parameters: PathParameters;
  /** Records changes as made by the user. */
  audit: AuditTrail;
}

/** A call about an organization, of which the user is a member with the permission of the route. */
export interface OrganizationCall extends UserCall {
  organization: Organization;
  membership: Membership;
}

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

/** Throws a `GatewayError` (403) that names the permission. For what depends on more than the route. */
export function requirePermission({ membership }: OrganizationCall, permission: Permission): void {
  if (!isAllowed(membership.role, permission)) throw permissionDenied(permission);
}

export function permissionDenied(permission: Permission): GatewayError {
  return new GatewayError('forbidden', {
    message: `Your role in this organization does not include the permission ${permission}: ask an owner`,
  });
}

/** Also for organizations of others, so that nobody learns whether they exist. */
export function noOrganization(): GatewayError {
  return new GatewayError('not_found', { message: 'There is no such organization among yours' });
}
