/** Entry of the recovery function. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readEnvironment } from '../shared/environment.ts';
import { tableClientSettings } from '../shared/stores/client-settings.ts';
import { createDocumentClient } from '../shared/stores/document-client.ts';
import { createLogEntryWriter } from '../shared/stores/log-entry-writer.ts';
import { createRecoveryHandler } from './recovery-handler.ts';

const { LOG_ENTRIES_TABLE, ENTRY_RETENTION_DAYS } = readEnvironment(
  'LOG_ENTRIES_TABLE',
  'ENTRY_RETENTION_DAYS',
);
const table = {
  client: createDocumentClient(new DynamoDBClient(tableClientSettings)),
  tableName: LOG_ENTRIES_TABLE,
  now: () => new Date(),
};

export const handler = createRecoveryHandler(createLogEntryWriter(table, Number(ENTRY_RETENTION_DAYS)));
