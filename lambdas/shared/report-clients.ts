/** What the functions that answer in one piece start with. Only entry files call this. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createAuthenticate } from './http/authenticate.ts';
import { createDirectoryStore } from './stores/directory-store.ts';
import { createDocumentClient } from './stores/document-client.ts';

export function createReportClients(directoryTable: string) {
  const client = createDocumentClient(new DynamoDBClient());
  const directory = createDirectoryStore({ client, tableName: directoryTable });
  return { client, directory, authenticate: createAuthenticate({ directory, now: () => new Date() }) };
}
