import type { ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
import { createMembersHandler } from '../members/handler.ts';
import { auditTrailRoutes } from './audit-trail.ts';
import { budgetRoutes } from './budgets.ts';
import type { OrganizationDependencies, Route } from './call.ts';
import { invitationRoutes } from './invitations.ts';
import { keyRoutes } from './keys/endpoints.ts';
import { memberRoutes } from './members.ts';
import { organizationRoutes } from './organization.ts';

export function createOrganizationsHandler(dependencies: OrganizationDependencies): ProxyHandler {
  const { dashboardOrigin } = dependencies.settings;
  return createMembersHandler({ routes, dashboardOrigin, dependencies });
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
