import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import { readAwsAccess, readEnvironment } from '#lambdas/platform/environment.ts';
import { withLogContext } from '#lambdas/platform/log.ts';
import { createLogEntryWriter } from '../table/writer.ts';
import { createRecoveryHandler } from './handler.ts';

const { LOG_ENTRIES_TABLE, ENTRY_RETENTION_DAYS } = readEnvironment(
  'LOG_ENTRIES_TABLE',
  'ENTRY_RETENTION_DAYS',
);
const now = () => new Date();
const dynamodb = createJsonService({ service: 'dynamodb', access: readAwsAccess(), now });
const table = { calls: createJsonTableCalls(dynamodb), tableName: LOG_ENTRIES_TABLE, now };

export const handler = withLogContext(
  createRecoveryHandler(createLogEntryWriter(table, Number(ENTRY_RETENTION_DAYS))),
);
