/** The session function with an embedded table, a fake user pool and a clock, called by browsers with cookies. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createCognito } from '#lambdas/accounts/session/account/cognito.ts';
import { createSessionHandler } from '#lambdas/accounts/session/handler.ts';
import type { SessionServices } from '#lambdas/accounts/session/services.ts';
import type { DashboardSettings } from '#lambdas/accounts/session/settings.ts';
import { createOpenIdProvider } from '#lambdas/accounts/session/sign-in/openid-provider.ts';
import { createSessionStore } from '#lambdas/accounts/sessions/store.ts';
import { createLog } from '#lambdas/platform/log.ts';
import type { EmbeddedDynamoDB } from '../dynamodb/embedded.ts';
import { createTable } from '../dynamodb/tables.ts';
import { type Browser, createBrowser } from './browser.ts';
import { fakeClient } from './fake-openid-provider.ts';
import { type FakeUserPool, startFakeUserPool } from './fake-user-pool.ts';

export const dashboardOrigin = 'https://dashboard.example';

export const acme = { name: 'Acme', domains: ['acme.example', 'acme.test'] };

export interface DashboardFixture {
  pool: FakeUserPool;
  services: SessionServices;
  tableName: string;
  clock: { nowMs: number };
  /** Log lines, parsed. */
  lines: Record<string, unknown>[];
  browser(services?: Partial<SessionServices>): Browser;
  stop(): Promise<void>;
}

export const startMs = Date.UTC(2026, 10, 23, 8);

export async function startDashboard(
  database: EmbeddedDynamoDB,
  settings: Partial<DashboardSettings> = {},
): Promise<DashboardFixture> {
  const { name: tableName } = await createTable(database.client, 'Accounts', { key: ['pk', 'sk'] });
  const clock = { nowMs: startMs };
  const now = () => new Date(clock.nowMs);
  const pool = await startFakeUserPool(now);
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
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
  const services: SessionServices = {
    settings: {
      dashboardOrigin,
      signInOrigin: pool.origin,
      clientId: fakeClient.id,
      signUp: 'invited',
      organizationCreators: ['example.com', 'example.org'],
      mfaRequired: false,
      identityProvider: acme,
      ...settings,
    },
    sessions: createSessionStore({ client: database.documentClient, tableName }),
    loadProvider: async () => provider,
    loadUserApi: async () => userApi,
    now,
    wait: () => new Promise((resolve) => setImmediate(resolve)),
    log: createLog({ log: write, error: write }),
  };
  return {
    pool,
    services,
    tableName,
    clock,
    lines,
    browser(changes = {}) {
      const handler = createSessionHandler({ ...services, ...changes });
      return createBrowser((event) => handler(event), pool.provider);
    },
    stop: pool.stop,
  };
}

export type DashboardFunction = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;
