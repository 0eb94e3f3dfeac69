/** Entry point of the function `Session`, which signs people in to the dashboard and shows their account. */
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createOrganizationReader } from '#lambdas/access/organizations/read.ts';
import { sdkTimeLimits } from '#lambdas/platform/aws/sdk-time-limits.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { log, withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { createSignInHandler } from './handler.ts';

const environment = readEnvironment(
  'ACCOUNTS_TABLE',
  'DIRECTORY_TABLE',
  'AUDIT_TRAIL_TABLE',
  'AUDIT_RETENTION_DAYS',
  'DASHBOARD_ORIGIN',
  'USER_POOL_ID',
  'USER_POOL_CLIENT_ID',
  'TOKEN_ISSUER',
  'SIGN_IN_ORIGIN',
  'SIGN_UP',
  'ORGANIZATION_CREATORS',
  'REQUIRE_MFA',
  'IDENTITY_PROVIDER',
);
const clientId = environment.USER_POOL_CLIENT_ID;
const signInOrigin = environment.SIGN_IN_ORIGIN;

const client = createDocumentClient(new DynamoDBClient(sdkTimeLimits));
const accounts = { client, tableName: environment.ACCOUNTS_TABLE };
const now = () => new Date();

const loadCognito = lazy(async () => {
  const { createCognito } = await import('./account/cognito.ts');
  return createCognito({ userPoolId: environment.USER_POOL_ID, clientId });
});

export const handler = withLogContext(
  createSignInHandler({
    settings: {
      dashboardOrigin: environment.DASHBOARD_ORIGIN,
      signInOrigin,
      clientId,
      signUp: environment.SIGN_UP === 'open' ? 'open' : 'invited',
      organizationCreators: JSON.parse(environment.ORGANIZATION_CREATORS),
      requireMfa: environment.REQUIRE_MFA === 'true',
      identityProvider: JSON.parse(environment.IDENTITY_PROVIDER),
    },
    accounts,
    directory: createOrganizationReader({ client, tableName: environment.DIRECTORY_TABLE }),
    auditTable: {
      client,
      tableName: environment.AUDIT_TRAIL_TABLE,
      retentionDays: Number(environment.AUDIT_RETENTION_DAYS),
    },
    loadProvider: lazy(async () => {
      const { createOpenIdProvider } = await import('./openid-provider.ts');
      const { clientSecret } = await loadCognito();
      return createOpenIdProvider({ issuer: environment.TOKEN_ISSUER, signInOrigin, clientId }, clientSecret);
    }),
    loadUserApi: async () => (await loadCognito()).userApi,
    now,
    wait: (milliseconds) => wait(milliseconds),
    log,
  }),
);
