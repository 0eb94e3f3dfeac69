/** What the functions that answer in one piece start with. Only entry files call this. */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createAuthenticate } from './http/authenticate.ts';
import { createDirectoryStore } from './stores/directory-store.ts';
import { createDocumentClient } from './stores/document-client.ts';

/** By default the SDK waits without end. This way a caller is told before API Gateway's 29 seconds are over. */
export const reportClientSettings = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
} as const satisfies DynamoDBClientConfig;

export function createReportClients(directoryTable: string) {
  const client = createDocumentClient(new DynamoDBClient(reportClientSettings));
  const directory = createDirectoryStore({ client, tableName: directoryTable });
  return { client, directory, authenticate: createAuthenticate({ directory, now: () => new Date() }) };
}
