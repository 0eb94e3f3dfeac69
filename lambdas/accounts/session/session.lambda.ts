/** Entry point of the session function, which signs people in to the dashboard and shows their account. */
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { jsonEndpointClientConfig } from '#lambdas/access/json-endpoint-clients.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { log } from '#lambdas/platform/log.ts';
import { createSessionStore } from '../sessions/store.ts';
import { createSessionHandler } from './handler.ts';

const environment = readEnvironment(
  'ACCOUNTS_TABLE',
  'DASHBOARD_ORIGIN',
  'USER_POOL_ID',
  'USER_POOL_CLIENT_ID',
  'TOKEN_ISSUER',
  'SIGN_IN_ORIGIN',
  'SIGN_UP',
  'ORGANIZATION_CREATORS',
  'MFA_REQUIRED',
  'IDENTITY_PROVIDER',
);
const clientId = environment.USER_POOL_CLIENT_ID;
const signInOrigin = environment.SIGN_IN_ORIGIN;

const loadCognito = lazy(async () => {
  const { createCognito } = await import('./account/cognito.ts');
  return createCognito({ userPoolId: environment.USER_POOL_ID, clientId });
});

export const handler = createSessionHandler({
  settings: {
    dashboardOrigin: environment.DASHBOARD_ORIGIN,
    signInOrigin,
    clientId,
    signUp: environment.SIGN_UP === 'open' ? 'open' : 'invited',
    organizationCreators: JSON.parse(environment.ORGANIZATION_CREATORS),
    mfaRequired: environment.MFA_REQUIRED === 'true',
    identityProvider: JSON.parse(environment.IDENTITY_PROVIDER),
  },
  sessions: createSessionStore({
    client: createDocumentClient(new DynamoDBClient(jsonEndpointClientConfig)),
    tableName: environment.ACCOUNTS_TABLE,
  }),
  loadProvider: lazy(async () => {
    const { createOpenIdProvider } = await import('./sign-in/openid-provider.ts');
    const { clientSecret } = await loadCognito();
    return createOpenIdProvider({ issuer: environment.TOKEN_ISSUER, signInOrigin, clientId }, clientSecret);
  }),
  loadUserApi: async () => (await loadCognito()).userApi,
  now: () => new Date(),
  wait: (milliseconds) => wait(milliseconds),
  log,
});
