/** Turns requests into responses: first the session, the membership and the permission, then the route's handler. */

import type { ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
import { assertSameOrigin, type DashboardRequest } from '../http/request.ts';
import { createProxyHandler, type DashboardResponse } from '../http/response.ts';
import { findRoute } from '../http/router.ts';
import { requireOrganizationMembership, requirePermission } from '../members/require-membership.ts';
import { requireCurrentSession } from '../sessions/active-session.ts';
import { billingRoutes } from './billing.ts';
import type { AnalyticsDependencies, AnalyticsRoute } from './call.ts';
import { costRoutes } from './cost-report.ts';
import { logRoutes } from './logs.ts';
import { modelRoutes } from './models.ts';

export function createAnalyticsHandler(dependencies: AnalyticsDependencies): ProxyHandler {
  return createProxyHandler((request) => respond(request, dependencies));
}

async function respond(
  request: DashboardRequest,
  dependencies: AnalyticsDependencies,
): Promise<DashboardResponse> {
  assertSameOrigin(request, dependencies.dashboardOrigin);
  const { route, parameters } = findRoute(routes, request);
  const { record } = await requireCurrentSession(dependencies.sessions, request, dependencies.now());
  const { organization: organizationId = '' } = parameters;
  const membership = await requireOrganizationMembership(dependencies, organizationId, record.identity.id);
  requirePermission(membership, route.permission);
  return route.handle({ ...request, ...membership, parameters }, dependencies);
}

/** All routes of the function `Analytics`. */
export const routes: readonly AnalyticsRoute[] = [
  ...costRoutes,
  ...logRoutes,
  ...modelRoutes,
  ...billingRoutes,
];
