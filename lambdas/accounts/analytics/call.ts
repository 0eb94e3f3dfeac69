import type { DirectoryReader } from '#lambdas/access/directory.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import type { ProviderSources } from '#lambdas/inference/providers/set-up.ts';
import type { CustomPricesTable } from '#lambdas/pricing/custom/store.ts';
import type { CostDependencies } from '#lambdas/reports/costs/read.ts';
import type { LogDependencies } from '#lambdas/reports/logs/entry.ts';
import type { LogsDependencies } from '#lambdas/reports/logs/page.ts';
import type { DashboardRequest } from '../http/request.ts';
import type { DashboardResponse } from '../http/response.ts';
import { apiPath, type PathParameters, type RoutePath } from '../http/router.ts';
import type { OrganizationMembership } from '../members/require-membership.ts';
import type { MemberStore } from '../members/store.ts';
import type { Permission } from '../permissions.ts';
import type { SessionStore } from '../sessions/store.ts';

/** A call about an organization, of which the user is a member with the permission of the route. */
export interface AnalyticsCall extends DashboardRequest, OrganizationMembership {
  parameters: PathParameters;
}

export type AnalyticsHandler = (
  call: AnalyticsCall,
  dependencies: AnalyticsDependencies,
) => Promise<DashboardResponse>;

export interface AnalyticsRoute extends RoutePath {
  method: 'GET';
  permission: Permission;
  handle: AnalyticsHandler;
}

/** `path` is below that of the organization's analytics, such as `/logs/{id}`. */
export function analyticsRoute(path: string, handle: AnalyticsHandler): AnalyticsRoute {
  return {
    method: 'GET',
    path: `${apiPath}/analytics/{organization}${path}`,
    permission: 'view',
    handle,
  };
}

/** The providers, their models and prices. */
export interface ProviderDependencies extends ProviderSources {
  /** The function's region. */
  region: string;
  customPrices: Pick<CustomPricesTable, 'client' | 'tableName'>;
}

/** Everything that the routes use. */
export interface AnalyticsDependencies {
  /** Without a trailing slash. */
  dashboardOrigin: string;
  sessions: Pick<SessionStore, 'find'>;
  members: Pick<MemberStore, 'find'>;
  directory: DirectoryReader;
  /** The table of the directory, which also has the budgets. */
  directoryTable: DirectoryTable;
  /** The sources of costs and log entries. */
  reports: CostDependencies & LogsDependencies & LogDependencies;
  providers: ProviderDependencies;
  now(): Date;
}
