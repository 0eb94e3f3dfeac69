/** The function `Session` with an embedded table, a fake user pool and a clock, called by browsers with cookies. */

import type { Directory } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { AccountsTable } from '#lambdas/accounts/accounts-table.ts';
import { createCognito } from '#lambdas/accounts/sign-in/account/cognito.ts';
import type { DashboardSettings, SignInDependencies } from '#lambdas/accounts/sign-in/call.ts';
import { createSignInHandler } from '#lambdas/accounts/sign-in/handler.ts';
import { createOpenIdProvider } from '#lambdas/accounts/sign-in/openid-provider.ts';
import { collectLogLines, type LogLine, withoutCommonFields } from '#test/support/log-lines.ts';
import type { EmbeddedDynamoDB } from '../dynamodb/embedded.ts';
import { createTable } from '../dynamodb/tables.ts';
import { fakeClient } from './fake-openid-provider.ts';
import { type FakeUserPool, startFakeUserPool } from './fake-user-pool.ts';
import { createPageClient, type PageClient } from './page-client.ts';

export const dashboardOrigin = 'https://dashboard.example';

export const acme = { name: 'Acme', domains: ['acme.example', 'acme.test'] };

export interface DashboardFixture {
  pool: FakeUserPool;
  dependencies: SignInDependencies;
  accounts: AccountsTable;
  directory: Directory;
  clock: { nowMs: number };
  lines: LogLine[];
  browser(dependencies?: Partial<SignInDependencies>): PageClient;
  stop(): Promise<void>;
}

/** Organizations have unique ids, so that all dashboards of a database can share these tables. */
const organizationTables = new WeakMap<EmbeddedDynamoDB, ReturnType<typeof createOrganizationTables>>();

function organizationTablesOf(database: EmbeddedDynamoDB) {
  const tables = organizationTables.get(database) ?? createOrganizationTables(database);
  organizationTables.set(database, tables);
  return tables;
}

async function createOrganizationTables(database: EmbeddedDynamoDB) {
  const directory = await createTableOf(database, 'Directory', ['pk', 'sk']);
  const auditTrail = await createTableOf(database, 'AuditTrail', ['organization_id', 'id']);
  return { directory, auditTable: { ...auditTrail, retentionDays: 400 } };
}

export async function createTableOf(database: EmbeddedDynamoDB, name: string, key: [string, string?]) {
  const { name: tableName } = await createTable(database.client, name, { key });
  return { client: database.documentClient, tableName };
}

export const startMs = Date.UTC(2026, 10, 23, 8);

export async function startDashboardFixture(
  database: EmbeddedDynamoDB,
  settings: Partial<DashboardSettings> = {},
): Promise<DashboardFixture> {
  const accounts = await createTableOf(database, 'Accounts', ['pk', 'sk']);
  const tables = await organizationTablesOf(database);
  const directory = createDirectoryStore(tables.directory);
  const clock = { nowMs: startMs };
  const now = () => new Date(clock.nowMs);
  const pool = await startFakeUserPool(now);
  const lines: LogLine[] = [];
  const addresses = { issuer: pool.origin, signInOrigin: pool.origin, clientId: fakeClient.id };
  const { clientSecret, userApi } = createCognito(
    { userPoolId: 'pool-1', clientId: fakeClient.id },
    {
      endpoint: pool.origin,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    },
  );
  const provider = createOpenIdProvider(addresses, clientSecret);
  const dependencies: SignInDependencies = {
    settings: {
      dashboardOrigin,
      signInOrigin: pool.origin,
      clientId: fakeClient.id,
      signUp: 'invited',
      organizationCreators: ['example.com', 'example.org'],
      requireMfa: false,
      identityProvider: acme,
      ...settings,
    },
    accounts,
    directory,
    auditTable: tables.auditTable,
    loadProvider: async () => provider,
    loadUserApi: async () => userApi,
    now,
    wait: () => new Promise((resolve) => setImmediate(resolve)),
    log: collectLogLines((line) => lines.push(withoutCommonFields(JSON.parse(line)))),
  };
  return {
    pool,
    dependencies,
    accounts,
    directory,
    clock,
    lines,
    browser(changes = {}) {
      const handler = createSignInHandler({ ...dependencies, ...changes });
      return createPageClient(handler, pool.provider);
    },
    stop: pool.stop,
  };
}
