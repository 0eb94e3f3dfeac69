/** Entry of the recovery function. */
import { createJsonService } from '../shared/aws/json-service.ts';
import { readAwsAccess, readEnvironment } from '../shared/environment.ts';
import { createJsonTableCalls } from '../shared/stores/json-table-calls.ts';
import { createLogEntryWriter } from '../shared/stores/log-entry-writer.ts';
import { createRecoveryHandler } from './recovery-handler.ts';

const { LOG_ENTRIES_TABLE, ENTRY_RETENTION_DAYS } = readEnvironment(
  'LOG_ENTRIES_TABLE',
  'ENTRY_RETENTION_DAYS',
);
const now = () => new Date();
const dynamodb = createJsonService({ service: 'dynamodb', access: readAwsAccess(), now });
const table = { calls: createJsonTableCalls(dynamodb), tableName: LOG_ENTRIES_TABLE, now };

export const handler = createRecoveryHandler(createLogEntryWriter(table, Number(ENTRY_RETENTION_DAYS)));
