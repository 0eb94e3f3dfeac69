/** Creates the clients of the functions behind the JSON endpoints. */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { createAuthenticate } from './authenticate.ts';
import { createDirectoryStore } from './directory-store.ts';

/** By default the SDK waits forever. With these limits, the caller gets an error within API Gateway's 29 seconds. */
export const jsonEndpointClientConfig = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
} as const satisfies DynamoDBClientConfig;

export function createJsonEndpointClients(directoryTable: string) {
  const client = createDocumentClient(new DynamoDBClient(jsonEndpointClientConfig));
  const directory = createDirectoryStore({ client, tableName: directoryTable });
  return { client, directory, authenticate: createAuthenticate({ directory, now: () => new Date() }) };
}
