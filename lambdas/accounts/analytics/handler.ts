/** Turns requests into responses: first the session, the membership and the permission, then the route's handler. */
import type { DashboardRequest } from '../http/dashboard-request.ts';
import type { DashboardResponse } from '../http/dashboard-response.ts';
import { createProxyHandler, type ProxyHandler } from '../http/proxy-handler.ts';
import { findRoute } from '../http/router.ts';
import { assertSameOrigin } from '../http/same-origin.ts';
import { requireOrganizationMembership, requirePermission } from '../members/require-membership.ts';
import { requireCurrentSession } from '../sessions/current-session.ts';
import { routes } from './routes.ts';
import type { AnalyticsServices } from './services.ts';

export function createAnalyticsHandler(services: AnalyticsServices): ProxyHandler {
  return createProxyHandler((request) => respond(request, services));
}

async function respond(request: DashboardRequest, services: AnalyticsServices): Promise<DashboardResponse> {
  assertSameOrigin(request, services.dashboardOrigin);
  const { route, parameters } = findRoute(routes, request);
  const { record } = await requireCurrentSession(services.sessions, request, services.now());
  const { organization: organizationId = '' } = parameters;
  const membership = await requireOrganizationMembership(services, organizationId, record.identity.id);
  requirePermission(membership, route.permission);
  return route.handle({ ...request, ...membership, parameters }, services);
}
