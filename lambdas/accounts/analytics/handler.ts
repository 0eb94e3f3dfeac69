/** Turns requests into responses: first the session, the membership and the permission, then the route's handler. */

import { assertSameOrigin, type DashboardRequest } from '../http/request.ts';
import { createProxyHandler, type DashboardResponse, type ProxyHandler } from '../http/response.ts';
import { findRoute } from '../http/router.ts';
import { requireOrganizationMembership, requirePermission } from '../members/require-membership.ts';
import { requireCurrentSession } from '../sessions/active-session.ts';
import { billingRoutes } from './billing.ts';
import type { AnalyticsRoute, AnalyticsServices } from './call.ts';
import { costRoutes } from './cost-report.ts';
import { logRoutes } from './logs.ts';
import { modelRoutes } from './models.ts';

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

/** All routes of the function `Analytics`. */
export const routes: readonly AnalyticsRoute[] = [
  ...costRoutes,
  ...logRoutes,
  ...modelRoutes,
  ...billingRoutes,
];
