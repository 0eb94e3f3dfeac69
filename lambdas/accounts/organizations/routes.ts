/** All routes of the function `Organizations`. */
import { auditTrailRoutes } from './audit-trail/routes.ts';
import { budgetRoutes } from './budgets/routes.ts';
import type { Route } from './call.ts';
import { invitationRoutes } from './invitations/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { organizationRoutes } from './organization/routes.ts';

export const routes: readonly Route[] = [
  ...organizationRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...keyRoutes,
  ...budgetRoutes,
  ...auditTrailRoutes,
];
