/** The table of log entries, for those who have the AWS SDK's client. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { LogEntryWriter } from '../domain/log-entry.ts';
import { createLogEntryWriter } from './log-entry-writer.ts';
import { createSdkTableCalls } from './sdk-table-calls.ts';

export interface LogEntriesTable {
  client: DynamoDBDocumentClient;
  tableName: string;
  now(): Date;
}

export function createSdkLogEntryWriter(table: LogEntriesTable, retentionDays: number): LogEntryWriter {
  return createLogEntryWriter({ ...table, calls: createSdkTableCalls(table.client) }, retentionDays);
}
