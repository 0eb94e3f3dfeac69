import type { ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
import { createOrganizationCallsHandler } from '../organization-calls/handler.ts';
import { auditTrailRoutes } from './audit-trail.ts';
import { budgetRoutes } from './budgets/endpoints.ts';
import type { OrganizationDependencies, Route } from './call.ts';
import { invitationRoutes } from './invitations.ts';
import { keyRoutes } from './keys/endpoints.ts';
import { memberRoutes } from './members.ts';
import { organizationRoutes } from './organization.ts';
import { rateLimitRoutes } from './rate-limits/endpoints.ts';
import { routingRoutes } from './routing.ts';

/** All routes of the function `Organizations`. */
export const routes: readonly Route[] = [
  ...organizationRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...keyRoutes,
  ...budgetRoutes,
  ...rateLimitRoutes,
  ...routingRoutes,
  ...auditTrailRoutes,
];

export function createOrganizationsHandler(dependencies: OrganizationDependencies): ProxyHandler {
  const { dashboardOrigin } = dependencies.settings;
  return createOrganizationCallsHandler({ routes, dashboardOrigin, dependencies });
}
