/** Turns requests into responses: first the session, the membership and the permission, then the route's handler. */
import { exists } from '#lambdas/access/directory.ts';
import { createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { Actor } from '#lambdas/audit/record.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { DashboardRequest } from '../http/dashboard-request.ts';
import type { DashboardResponse } from '../http/dashboard-response.ts';
import { createProxyHandler, type ProxyHandler } from '../http/proxy-handler.ts';
import { findRoute } from '../http/router.ts';
import { assertSameOrigin } from '../http/same-origin.ts';
import type { Identity } from '../identity.ts';
import { isAllowed } from '../permissions.ts';
import { requireCurrentSession } from '../sessions/current-session.ts';
import { noOrganization, type OrganizationCall, permissionDenied, type UserCall } from './call.ts';
import { routes } from './routes.ts';
import type { OrganizationServices } from './services.ts';

export function createOrganizationsHandler(services: OrganizationServices): ProxyHandler {
  return createProxyHandler((request) => respond(request, services));
}

async function respond(
  request: DashboardRequest,
  services: OrganizationServices,
): Promise<DashboardResponse> {
  assertSameOrigin(request, services.settings.dashboardOrigin);
  const { route, parameters } = findRoute(routes, request);
  if (route.kind === 'public call') return route.handle(request, services);
  const { record } = await requireCurrentSession(services.sessions, request, services.now());
  const user = record.identity;
  const audit = createAuditTrail(services.auditTable, actorOf(user), services.now);
  const call: UserCall = { ...request, user, parameters, audit };
  if (route.kind === 'user call') return route.handle(call, services);
  const organizationCall = await requireMembership(call, services);
  if (!isAllowed(organizationCall.membership.role, route.permission))
    throw permissionDenied(route.permission);
  return route.handle(organizationCall, services);
}

function actorOf({ id, name, email }: Identity): Actor {
  return { type: 'user', id, name, email };
}

/** Does not reveal to others whether an organization exists. */
async function requireMembership(
  call: UserCall,
  { members, directory, auditTable, now }: OrganizationServices,
): Promise<OrganizationCall> {
  const { organization: organizationId = '' } = call.parameters;
  const [membership, organization] = await Promise.all([
    members.find(organizationId, call.user.id),
    directory.findOrganization(organizationId),
  ]);
  if (membership === null || !exists(organization)) throw noOrganization();
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
