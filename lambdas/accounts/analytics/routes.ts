/** All routes of the function `Analytics`. */
import { billingRoutes } from './billing/routes.ts';
import type { AnalyticsRoute } from './call.ts';
import { costRoutes } from './costs/routes.ts';
import { logRoutes } from './logs/routes.ts';
import { modelRoutes } from './models/routes.ts';

export const routes: readonly AnalyticsRoute[] = [
  ...costRoutes,
  ...logRoutes,
  ...modelRoutes,
  ...billingRoutes,
];
