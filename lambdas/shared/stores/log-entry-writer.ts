/** Log entries into their table: what the chat function does at the end of each request. */
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { LogEntryWriter } from '../domain/log-entry.ts';
import { timestampOfLogId } from '../domain/log-id.ts';
import { toItem } from './log-entry-item.ts';

export interface LogEntriesTable {
  client: DynamoDBDocumentClient;
  tableName: string;
  now(): Date;
}

const dayInSeconds = 86_400;

export function createLogEntryWriter(table: LogEntriesTable, retentionDays: number): LogEntryWriter {
  return {
    async put(entry) {
      const createdAtSeconds = Math.floor(timestampOfLogId(entry.id) / 1000);
      const Item = toItem(entry, {
        writtenAtMs: table.now().getTime(),
        expiresAtSeconds: createdAtSeconds + retentionDays * dayInSeconds,
      });
      await table.client.send(new PutCommand({ TableName: table.tableName, Item }));
    },
  };
}
