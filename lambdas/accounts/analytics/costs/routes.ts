import { jsonResponse } from '#lambdas/accounts/http/dashboard-response.ts';
import { readCostReport } from '#lambdas/reports/costs/report.ts';
import { type AnalyticsHandler, type AnalyticsRoute, analyticsRoute } from '../call.ts';
import { resolveLocalDates } from '../local-bounds.ts';
import type { CostReport } from '../responses.ts';
import { toCostReport } from './report.ts';

/** `GET /dashboard/api/analytics/{organization}/costs` */
const getCosts: AnalyticsHandler = async ({ organization, query }, { reports }) =>
  jsonResponse<CostReport>(
    await readCostReport(reports, organization.id, resolveLocalDates(query), toCostReport),
  );

export const costRoutes: readonly AnalyticsRoute[] = [analyticsRoute('/costs', getCosts)];
