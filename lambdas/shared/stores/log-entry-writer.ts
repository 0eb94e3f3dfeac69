/** Log entries into their table: what the chat function does at the end of each request. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { LogEntryWriter, Outcome } from '../domain/log-entry.ts';
import { timestampOfLogId } from '../domain/log-id.ts';
import { type Item, toItem } from './log-entry-item.ts';

export interface LogEntriesTable {
  client: DynamoDBDocumentClient;
  tableName: string;
  now(): Date;
}

const dayInSeconds = 86_400;

/** Of all attempts: a request's bookkeeping has to end before its function does. */
const putTimeoutMs = 5000;

export function createLogEntryWriter(table: LogEntriesTable, retentionDays: number): LogEntryWriter {
  return {
    async put(entry) {
      const createdAtSeconds = Math.floor(timestampOfLogId(entry.id) / 1000);
      const Item = toItem(entry, {
        writtenAtMs: table.now().getTime(),
        expiresAtSeconds: createdAtSeconds + retentionDays * dayInSeconds,
      });
      await putUnlessThere(table, Item);
    },
  };
}

/**
 * What is there is the same entry, from a put that nobody heard of again, and may have been priced anew since. Only what was
 * made of the line of an interrupted request gives way to the entry itself, which may have waited in a queue all the while.
 */
async function putUnlessThere({ client, tableName }: LogEntriesTable, Item: Item): Promise<void> {
  const command = new PutCommand({ TableName: tableName, Item, ...absentOrStandIn(Item) });
  try {
    await client.send(command, { abortSignal: AbortSignal.timeout(putTimeoutMs) });
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

const interrupted = 'interrupted' satisfies Outcome;

function absentOrStandIn({ outcome }: Item) {
  if (outcome === interrupted) return { ConditionExpression: 'attribute_not_exists(id)' };
  return {
    ConditionExpression: 'attribute_not_exists(id) OR outcome = :interrupted',
    ExpressionAttributeValues: { ':interrupted': interrupted },
  };
}
