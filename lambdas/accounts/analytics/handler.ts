import type { ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
import { createOrganizationCallsHandler } from '../organization-calls/handler.ts';
import { billingRoutes } from './billing.ts';
import type { AnalyticsDependencies, AnalyticsRoute } from './call.ts';
import { costRoutes } from './cost-report.ts';
import { logRoutes } from './logs.ts';
import { modelRoutes } from './models.ts';
import { routingRoutes } from './routing.ts';

/** All routes of the function `Analytics`. */
export const routes: readonly AnalyticsRoute[] = [
  ...costRoutes,
  ...logRoutes,
  ...modelRoutes,
  ...routingRoutes,
  ...billingRoutes,
];

export function createAnalyticsHandler(dependencies: AnalyticsDependencies): ProxyHandler {
  const { dashboardOrigin } = dependencies;
  return createOrganizationCallsHandler({ routes, dashboardOrigin, dependencies });
}
