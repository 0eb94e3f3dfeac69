/** Creates the clients of the functions behind the JSON endpoints. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { sdkTimeLimits } from '#lambdas/platform/aws/sdk-time-limits.ts';
import { createDocumentClient, createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { createAuthenticate } from './authenticate.ts';
import { createApiKeyFinder } from './key-lookup.ts';
import { createOrganizationReader } from './organizations/read.ts';

export function createJsonEndpointClients(tableName: string, now: () => Date) {
  const client = createDocumentClient(new DynamoDBClient(sdkTimeLimits));
  const apiKeys = createApiKeyFinder({ calls: createSdkTableCalls(client), tableName });
  return {
    now,
    client,
    organizations: createOrganizationReader({ client, tableName }),
    authenticate: createAuthenticate({ apiKeys, now }),
  };
}
