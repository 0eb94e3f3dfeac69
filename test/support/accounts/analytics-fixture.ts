/** The function `Analytics` with embedded tables and a clock, beside the endpoints of the public API, which read the same. */
import { createDirectoryReader } from '#lambdas/access/directory-store.ts';
import type { AnalyticsDependencies } from '#lambdas/accounts/analytics/call.ts';
import { createAnalyticsHandler } from '#lambdas/accounts/analytics/handler.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { costBreakdownOf } from '#lambdas/reports/logs/cost-breakdown.ts';
import { createLogEntryReader } from '#lambdas/reports/logs/read.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { findOldestEntryMs } from '#lambdas/request-log/table/extent.ts';
import { costDependencies } from '../reports/cost-dependencies.ts';
import { type Caller, type ReportFixture, startReportFixture } from '../reports/fixture.ts';
import { type ApiResponse, sendApiRequest } from './api-event.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from './organizations-fixture.ts';

export interface AnalyticsFixture {
  dependencies: AnalyticsDependencies;
  /** Its endpoints have the clock of `accounts`. */
  reports: ReportFixture;
  accounts: OrganizationsFixture;
  /** An organization with one API key, and `owner` as its owner. */
  caller: Caller;
  owner: TestUser;
  /** Writes entries of `caller`, and counts them. */
  record(...entries: LogEntry[]): Promise<void>;
  /** `path` is below that of the organization's analytics, such as `/logs?limit=2`. Without a session for `null`. */
  get(path: string, user?: TestUser | null, organizationId?: string): Promise<ApiResponse>;
  post(path: string, body: unknown): Promise<ApiResponse>;
  stop(): Promise<void>;
}

export async function startAnalyticsFixture(): Promise<AnalyticsFixture> {
  const reports = await startReportFixture();
  const accounts = await startOrganizationsFixture(reports.database);
  const { dependencies: accountDependencies, clock } = accounts;
  const { settings, now } = accountDependencies;
  reports.setTime(now());
  const { tables } = reports;
  const client = reports.database.documentClient;
  const logEntries = { client, tableName: tables.logEntries, now };
  const directoryTable = { client, tableName: tables.directory };
  const directory = createDirectoryReader(directoryTable);
  const prices = { client, tableName: tables.prices };
  const customPrices = { ...prices, calls: createSdkTableCalls(client), now };
  const dependencies: AnalyticsDependencies = {
    dashboardOrigin: settings.dashboardOrigin,
    accounts: accountDependencies.accounts,
    directory,
    directoryTable,
    reports: {
      ...costDependencies({ ...tables, client }, { logShardsOf: directory.logShardsOf, now }),
      logAccessOf: directory.logAccessOf,
      logEntries: createLogEntryReader(logEntries),
      findOldestEntryMs: (shard) => findOldestEntryMs(logEntries, shard),
      loadCostExplainer: async () => (entry) => costBreakdownOf(entry, { customPrices, settings: {} }),
    },
    providers: {
      settings: {},
      credentials: { find: async () => null, providerNames: async () => [] },
      region: 'us-east-1',
      customPrices: prices,
    },
    now,
  };
  const handle = createAnalyticsHandler(dependencies);
  const caller = await reports.newCaller();
  const owner = await accounts.signIn('Ada');
  await accounts.join(caller.organizationId, owner, 'owner');
  let recorded = 0;

  return {
    dependencies,
    reports,
    accounts,
    caller,
    owner,
    async record(...entries) {
      const own = entries.map((entry) => ({ ...entry, organization_id: caller.organizationId }));
      await reports.write(...own);
      reports.setTime(new Date(clock.nowMs));
      await reports.rollUp(own, recorded + 1);
      recorded += own.length;
    },
    get(path, user = owner, organizationId = caller.organizationId) {
      const [pathname = '', search = ''] = path.split('?');
      const query: Record<string, string[]> = {};
      for (const [name, value] of new URLSearchParams(search)) query[name] = [...(query[name] ?? []), value];
      return sendApiRequest(handle, {
        method: 'GET',
        path: `/analytics/${organizationId}${pathname}`,
        query,
        cookies: user?.cookies,
        headers: { 'x-dashboard': '1' },
      });
    },
    post: (path, body) =>
      sendApiRequest(handle, {
        method: 'POST',
        path: `/analytics/${caller.organizationId}${path}`,
        cookies: owner.cookies,
        headers: { 'x-dashboard': '1' },
        body,
      }),
    stop: () => reports.stop(),
  };
}
