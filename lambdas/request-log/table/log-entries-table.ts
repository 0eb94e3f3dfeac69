import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { LogEntryWriter } from '../entry.ts';
import { createLogEntryWriter } from './writer.ts';

export interface LogEntriesTable {
  client: DynamoDBDocumentClient;
  tableName: string;
  now(): Date;
  /** Whether it has the index of response ids. Default: no. */
  indexesResponseIds?: boolean;
}

export function createSdkLogEntryWriter(table: LogEntriesTable, retentionDays: number): LogEntryWriter {
  return createLogEntryWriter({ ...table, calls: createSdkTableCalls(table.client) }, retentionDays);
}
