import type { DirectoryReader } from '#lambdas/access/directory.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import type { ProviderSources } from '#lambdas/inference/providers/set-up.ts';
import type { CustomPricesTable } from '#lambdas/pricing/custom/store.ts';
import type { CostDependencies } from '#lambdas/reports/costs/read.ts';
import type { LogDependencies } from '#lambdas/reports/logs/entry.ts';
import type { LogsDependencies } from '#lambdas/reports/logs/list.ts';
import type { MemberStore } from '../members/store.ts';
import type { SessionStore } from '../sessions/store.ts';

/** The providers, their models and prices. */
export interface ProviderServices extends ProviderSources {
  /** The function's region. */
  region: string;
  customPrices: Pick<CustomPricesTable, 'client' | 'tableName'>;
}

/** Everything that the routes use. */
export interface AnalyticsServices {
  /** Without a trailing slash. */
  dashboardOrigin: string;
  sessions: Pick<SessionStore, 'find'>;
  members: Pick<MemberStore, 'find'>;
  directory: DirectoryReader;
  /** The table of the directory, which also has the budgets. */
  directoryTable: DirectoryTable;
  /** The sources of costs and log entries. */
  reports: CostDependencies & LogsDependencies & LogDependencies;
  providers: ProviderServices;
  now(): Date;
}
