/** Log entries into their table: what the chat function does at the end of each request. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb';
import type { LogEntry, LogEntryWriter, Outcome } from '../domain/log-entry.ts';
import { timestampOfLogId } from '../domain/log-id.ts';
import { type Item, type ItemTimes, toItem, writtenAtAttribute } from './log-entry-item.ts';

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
      await putUnlessThere(table, entry, {
        writtenAtMs: table.now().getTime(),
        expiresAtSeconds: createdAtSeconds + retentionDays * dayInSeconds,
      });
    },
  };
}

/**
 * What is there is the same entry, from a put that nobody heard of again, and may have been priced anew since. Only what was
 * made of the line of an interrupted request gives way to the entry itself, which may have waited in a queue all the while.
 */
async function putUnlessThere(table: LogEntriesTable, entry: LogEntry, times: ItemTimes): Promise<void> {
  const abortSignal = AbortSignal.timeout(putTimeoutMs);
  const put = (Item: Item, condition: Partial<PutCommandInput>) =>
    table.client.send(new PutCommand({ TableName: table.tableName, Item, ...condition }), { abortSignal });
  try {
    await put(toItem(entry, times), ifAbsent);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const standInWrittenAtMs = entry.outcome === interrupted ? null : standInWrittenAt(error);
    if (standInWrittenAtMs === null) return;
    // Should another be quicker, this fails, and finds that one the next time.
    await put(toItem(entry, { ...times, standInWrittenAtMs }), ifStandIn(standInWrittenAtMs));
  }
}

const interrupted = 'interrupted' satisfies Outcome;

const ifAbsent = {
  ConditionExpression: 'attribute_not_exists(id)',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
} as const satisfies Partial<PutCommandInput>;

/** Of what is in the way; `null` where that is an entry. */
function standInWrittenAt({ Item = {} }: ConditionalCheckFailedException): number | null {
  return Item.outcome?.S === interrupted ? Number(Item[writtenAtAttribute]?.N) : null;
}

function ifStandIn(writtenAtMs: number): Partial<PutCommandInput> {
  return {
    ConditionExpression: 'outcome = :interrupted AND #written = :written',
    ExpressionAttributeNames: { '#written': writtenAtAttribute },
    ExpressionAttributeValues: { ':interrupted': interrupted, ':written': writtenAtMs },
  };
}
