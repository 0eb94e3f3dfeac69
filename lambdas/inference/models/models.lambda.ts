/** Entry point of the models function behind the REST API. */
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createJsonEndpointClients } from '#lambdas/access/json-endpoint-clients.ts';
import { sdkTimeLimits } from '#lambdas/platform/aws/sdk-time-limits.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import { withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { createRouteLookup } from '#lambdas/routing/lookup.ts';
import { createProviderSecret } from '../providers/credential-store.ts';
import { createCredentialSource } from '../providers/credentials.ts';
import type { ProviderSettingsByName } from '../providers/settings.ts';
import { clientFormatOf, createModelsEndpoint } from './endpoint.ts';

const environment = readEnvironment(
  'DIRECTORY_TABLE',
  'PROVIDER_SECRET_ARN',
  'PROVIDERS',
  'AWS_REGION',
  'ALLOWED_ORIGINS',
);
const now = () => new Date();
const { client, authenticate } = createJsonEndpointClients(environment.DIRECTORY_TABLE, now);
const { read } = createProviderSecret({
  client: new SecretsManagerClient(sdkTimeLimits),
  secretId: environment.PROVIDER_SECRET_ARN,
});

export const handler = withLogContext(
  createJsonEndpoint(
    { authenticate, cors: createCors(JSON.parse(environment.ALLOWED_ORIGINS)), now },
    createModelsEndpoint({
      settings: JSON.parse(environment.PROVIDERS) as ProviderSettingsByName,
      credentials: createCredentialSource({ read, now, onFailure: logUnexpected }),
      region: environment.AWS_REGION,
      routes: createRouteLookup({
        calls: createSdkTableCalls(client),
        tableName: environment.DIRECTORY_TABLE,
        now,
      }),
      now,
    }),
    clientFormatOf,
  ),
);
