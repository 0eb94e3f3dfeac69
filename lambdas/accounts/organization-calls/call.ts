/** The calls and routes of a function for the members of organizations. */
import type { DashboardRequest } from '../http/request.ts';
import type { DashboardResponse } from '../http/response.ts';
import type { PathParameters, RoutePath } from '../http/router.ts';
import type { Identity } from '../identity.ts';
import type { Permission } from '../permissions.ts';
import type { OrganizationMembership } from './require-membership.ts';

/** A call of the page for a signed-in user. */
export interface SignedInCall extends DashboardRequest {
  user: Identity;
  parameters: PathParameters;
}

/** A call about an organization, of which the user is a member with the permission of the route. */
export interface MemberCall extends SignedInCall, OrganizationMembership {}

export type RouteHandler<Request, Dependencies, Body = unknown> = (
  request: Request,
  dependencies: Dependencies,
) => Promise<DashboardResponse<Body>>;

export type Route<Dependencies> = RoutePath &
  (
    | { kind: 'public call'; handle: RouteHandler<DashboardRequest, Dependencies> }
    | { kind: 'user call'; handle: RouteHandler<SignedInCall, Dependencies> }
    | {
        /** The path has the parameter `{organization}`. */
        kind: 'organization call';
        permission: Permission;
        handle: RouteHandler<MemberCall, Dependencies>;
      }
  );
