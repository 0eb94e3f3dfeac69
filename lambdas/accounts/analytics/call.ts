import type { DirectoryReader } from '#lambdas/access/directory.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import type { CredentialSource } from '#lambdas/inference/providers/credentials.ts';
import type { ProviderSources } from '#lambdas/inference/providers/set-up.ts';
import type { CustomPricesTable } from '#lambdas/pricing/custom/store.ts';
import type { CostDependencies } from '#lambdas/reports/costs/read.ts';
import type { LogEntryDependencies } from '#lambdas/reports/logs/entry.ts';
import type { LogListDependencies } from '#lambdas/reports/logs/list.ts';
import type { AccountsTable } from '../accounts-table.ts';
import type { BodyOf } from '../http/response.ts';
import { apiPath } from '../http/router.ts';
import type { MemberCall, Route, RouteHandler } from '../organization-calls/call.ts';
import type { AnalyticsResponses } from './responses.ts';

export type AnalyticsHandler<Body> = RouteHandler<MemberCall, AnalyticsDependencies, Body>;
export type AnalyticsRoute = Route<AnalyticsDependencies>;

/** `path` is below that of the organization's analytics, such as `/logs/{id}`. */
export function analyticsRoute<Path extends string, Method extends 'GET' | 'POST' = 'GET'>(
  path: Path,
  handle: AnalyticsHandler<BodyOf<AnalyticsResponses, `${Method} /analytics/{organization}${Path}`>>,
  method = 'GET' as Method,
): AnalyticsRoute {
  return {
    method,
    path: `${apiPath}/analytics/{organization}${path}`,
    kind: 'organization call',
    permission: 'view',
    handle,
  };
}

/** The providers, their models and prices. */
export interface ProviderDependencies extends ProviderSources {
  credentials: Pick<CredentialSource, 'find' | 'providerNames'>;
  /** The function's region. */
  region: string;
  customPrices: Pick<CustomPricesTable, 'client' | 'tableName'>;
}

/** Everything that the routes use. */
export interface AnalyticsDependencies {
  /** Without a trailing slash. */
  dashboardOrigin: string;
  accounts: AccountsTable;
  directory: DirectoryReader;
  /** The table of the directory, which also has the budgets. */
  directoryTable: DirectoryTable;
  /** The sources of costs and log entries. */
  reports: CostDependencies & LogListDependencies & LogEntryDependencies;
  providers: ProviderDependencies;
  now(): Date;
}
