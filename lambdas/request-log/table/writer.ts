import { daySeconds } from '#lambdas/platform/duration.ts';
import {
  ConditionFailedError,
  type Item,
  type TableCalls,
  type WriteCondition,
} from '#lambdas/platform/dynamodb/table.ts';
import { maxEntryWriteMs } from '../durations.ts';
import type { LogEntry, LogEntryWriter, Outcome } from '../entry.ts';
import { timestampOfLogId } from '../id.ts';
import { type ItemTimes, readPlaceholder, toItem } from './item.ts';
import { logEntriesSchema } from './schema.ts';

interface LogEntryTarget {
  calls: Pick<TableCalls, 'put'>;
  tableName: string;
  now(): Date;
}

const { sortKey, writtenAt } = logEntriesSchema;

const dayInSeconds = daySeconds;

const interrupted = 'interrupted' satisfies Outcome;

export function createLogEntryWriter(table: LogEntryTarget, retentionDays: number): LogEntryWriter {
  return {
    async put(entry) {
      const createdAtSeconds = Math.floor(timestampOfLogId(entry.id) / 1000);
      await putIfAbsent(table, entry, {
        writtenAtMs: table.now().getTime(),
        expiresAtSeconds: createdAtSeconds + retentionDays * dayInSeconds,
      });
    },
  };
}

const ifAbsent: WriteCondition = { ConditionExpression: `attribute_not_exists(${sortKey})` };

/**
 * Does not overwrite an existing entry: it is the same one, from a put whose response was lost, and may have been
 * repriced since. Only a placeholder is replaced by its entry, which may arrive later from a queue.
 */
async function putIfAbsent(table: LogEntryTarget, entry: LogEntry, times: ItemTimes): Promise<void> {
  const deadlineMs = table.now().getTime() + maxEntryWriteMs;
  const put = (item: Item, condition: WriteCondition) =>
    table.calls.put(table.tableName, item, { condition, timeoutMs: deadlineMs - table.now().getTime() });
  try {
    await put(toItem(entry, times), ifAbsent);
  } catch (error) {
    if (!(error instanceof ConditionFailedError)) throw error;
    const { item } = error;
    if (entry.outcome === interrupted || item.outcome !== interrupted) return;
    const placeholder = readPlaceholder(item);
    // Fails when another writer replaces the placeholder first; the next attempt then finds the complete entry.
    await put(toItem(entry, { ...times, placeholder }), ifPlaceholder(placeholder.writtenAtMs));
  }
}

function ifPlaceholder(writtenAtMs: number): WriteCondition {
  return {
    ConditionExpression: 'outcome = :interrupted AND #written = :written',
    ExpressionAttributeNames: { '#written': writtenAt },
    ExpressionAttributeValues: { ':interrupted': interrupted, ':written': writtenAtMs },
  };
}
