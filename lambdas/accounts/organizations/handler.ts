/** Turns requests into responses: first the session, the membership and the permission, then the route's handler. */

import { createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { Actor } from '#lambdas/audit/record.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
import { assertSameOrigin, type DashboardRequest } from '../http/request.ts';
import { createProxyHandler, type DashboardResponse } from '../http/response.ts';
import { findRoute } from '../http/router.ts';
import type { Identity } from '../identity.ts';
import { requireOrganizationMembership, requirePermission } from '../members/require-membership.ts';
import { requireCurrentSession } from '../sessions/active-session.ts';
import { auditTrailRoutes } from './audit-trail.ts';
import { budgetRoutes } from './budgets.ts';
import type { OrganizationCall, OrganizationDependencies, Route, UserCall } from './call.ts';
import { invitationRoutes } from './invitations.ts';
import { keyRoutes } from './keys/endpoints.ts';
import { memberRoutes } from './members.ts';
import { organizationRoutes } from './organization.ts';

export function createOrganizationsHandler(dependencies: OrganizationDependencies): ProxyHandler {
  return createProxyHandler((request) => respond(request, dependencies));
}

async function respond(
  request: DashboardRequest,
  dependencies: OrganizationDependencies,
): Promise<DashboardResponse> {
  assertSameOrigin(request, dependencies.settings.dashboardOrigin);
  const { route, parameters } = findRoute(routes, request);
  if (route.kind === 'public call') return route.handle(request, dependencies);
  const { record } = await requireCurrentSession(dependencies.sessions, request, dependencies.now());
  const user = record.identity;
  const audit = createAuditTrail(dependencies.auditTable, actorOf(user), dependencies.now);
  const call: UserCall = { ...request, user, parameters, audit };
  if (route.kind === 'user call') return route.handle(call, dependencies);
  const organizationCall = await toOrganizationCall(call, dependencies);
  requirePermission(organizationCall, route.permission);
  return route.handle(organizationCall, dependencies);
}

function actorOf({ id, name, email }: Identity): Actor {
  return { type: 'user', id, name, email };
}

async function toOrganizationCall(
  call: UserCall,
  dependencies: OrganizationDependencies,
): Promise<OrganizationCall> {
  const { organization: organizationId = '' } = call.parameters;
  const { membership, organization } = await requireOrganizationMembership(
    dependencies,
    organizationId,
    call.user.id,
  );
  const { members, auditTable, now } = dependencies;
  // Somebody who is removed or loses the role during the call changes nothing any more.
  const guard = { check: members.check(membership), error: membershipChanged };
  const audit = createAuditTrail(auditTable, actorOf(call.user), now, guard);
  return { ...call, membership, organization, audit };
}

function membershipChanged(): GatewayError {
  return new GatewayError('conflict', {
    message: 'Your role in this organization has changed in the meantime: reload the page',
  });
}

/** All routes of the function `Organizations`. */
export const routes: readonly Route[] = [
  ...organizationRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...keyRoutes,
  ...budgetRoutes,
  ...auditTrailRoutes,
];
