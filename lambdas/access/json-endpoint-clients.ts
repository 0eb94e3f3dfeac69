/** Creates the clients of the functions behind the JSON endpoints. */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createDocumentClient, createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { createAuthenticate } from './authenticate.ts';
import { createApiKeyFinder } from './key-lookup.ts';
import { createOrganizationReader } from './organizations/read.ts';

/** By default the SDK waits forever. With these limits, the caller gets an error within API Gateway's 29 seconds. */
export const jsonEndpointClientConfig = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
} as const satisfies DynamoDBClientConfig;

export function createJsonEndpointClients(tableName: string) {
  const client = createDocumentClient(new DynamoDBClient(jsonEndpointClientConfig));
  const keys = createApiKeyFinder({ calls: createSdkTableCalls(client), tableName });
  return {
    client,
    directory: createOrganizationReader({ client, tableName }),
    authenticate: createAuthenticate({ directory: keys, now: () => new Date() }),
  };
}
