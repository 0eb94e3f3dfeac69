/** Log entries into their table: what the chat function does at the end of each request. */

import type { MessageSender } from '#lambdas/platform/aws/sqs.ts';
import {
  type Item,
  ItemInTheWay,
  type PutCondition,
  type TableCalls,
} from '#lambdas/platform/dynamodb/table.ts';
import { parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry, LogEntryWriter, LostEntries, Outcome } from '../entry.ts';
import { entryText, readEntryText } from '../entry-json.ts';
import { timestampOfLogId } from '../id.ts';
import { type ItemTimes, toItem, writtenAtAttribute } from './item.ts';
export interface LogEntryTarget {
  calls: Pick<TableCalls, 'put'>;
  tableName: string;
  now(): Date;
}

const dayInSeconds = 86_400;

/** Of all attempts: a request's bookkeeping has to end before its function does. */
const withinMs = 5000;

export function createLogEntryWriter(table: LogEntryTarget, retentionDays: number): LogEntryWriter {
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
async function putUnlessThere(table: LogEntryTarget, entry: LogEntry, times: ItemTimes): Promise<void> {
  const untilMs = table.now().getTime() + withinMs;
  const put = (item: Item, condition: PutCondition) =>
    table.calls.put(table.tableName, item, { condition, withinMs: untilMs - table.now().getTime() });
  try {
    await put(toItem(entry, times), ifAbsent);
  } catch (error) {
    if (!(error instanceof ItemInTheWay)) throw error;
    const placeholderWrittenAtMs = entry.outcome === interrupted ? null : placeholderWrittenAt(error);
    if (placeholderWrittenAtMs === null) return;
    // Should another be quicker, this fails, and finds that one the next time.
    await put(toItem(entry, { ...times, placeholderWrittenAtMs }), ifPlaceholder(placeholderWrittenAtMs));
  }
}

const interrupted = 'interrupted' satisfies Outcome;

const ifAbsent = { ConditionExpression: 'attribute_not_exists(id)' };

/** Of what is in the way; `null` where that is an entry. */
function placeholderWrittenAt({ item }: ItemInTheWay): number | null {
  return item.outcome === interrupted ? Number(item[writtenAtAttribute]) : null;
}

function ifPlaceholder(writtenAtMs: number): PutCondition {
  return {
    ConditionExpression: 'outcome = :interrupted AND #written = :written',
    ExpressionAttributeNames: { '#written': writtenAtAttribute },
    ExpressionAttributeValues: { ':interrupted': interrupted, ':written': writtenAtMs },
  };
}

// Log entries that their table did not take, into the queue from which the recovery function writes them.

export interface LogEntryQueueOptions {
  queueUrl: string;
  sender: MessageSender;
}

export function createLogEntryQueue({ queueUrl, sender }: LogEntryQueueOptions): LostEntries {
  return {
    async send(entry) {
      await sender.send(queueUrl, { entry: entryText(entry) });
    },
  };
}

/** The entry in the body of a message. Throws an `Error` that quotes nothing of it when there is none. */
export function readLostEntry(body: string): LogEntry {
  return readEntryText(parseJsonObject(body)?.entry);
}
