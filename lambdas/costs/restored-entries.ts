/**
 * Restores log entries, and marks them until the rollups have counted them.
 *
 * An entry that is written long after its request may be older than entries that have been counted, from which nobody could
 * tell that something is missing. So one transaction writes the entry and a mark in the partition
 * `<organization>#restored`, and the rollup function deletes the mark after it has counted the entry. A killed process
 * leaves both or neither.
 *
 * The state of the organization says for how long there may be marks, so that reports of all others need not look for them.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, paginateQuery, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { hourMs } from '#lambdas/platform/duration.ts';
import { fromAttributes } from '#lambdas/platform/dynamodb/attributes.ts';
import { nullIfConditionFails, retryOnConflict } from '#lambdas/platform/dynamodb/conflicts.ts';
import { conditionExpressions, equals } from '#lambdas/platform/dynamodb/expressions.ts';
import { maxConnections } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { ConditionFailedError, type Item, type PutOptions } from '#lambdas/platform/dynamodb/table.ts';
import { streamRetentionMs } from '#lambdas/platform/dynamodb/watermark.ts';
import type { LogEntryWriter } from '#lambdas/request-log/entry.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { logEntriesSchema } from '#lambdas/request-log/table/schema.ts';
import { createLogEntryWriter } from '#lambdas/request-log/table/writer.ts';
import type { CostRollupsTable } from './rollups/item.ts';
import type { RollupRecord } from './rollups/row-updates.ts';
import { costRollupsSchema, type ItemKey } from './rollups/schema.ts';
import { allowRestores } from './rollups/state.ts';

const { partitionKey, sortKey, expiry } = costRollupsSchema;
const { writtenAt, restored } = logEntriesSchema;

interface RestoredEntryTables {
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
}

/** One update of the state covers the entries of an hour. */
const allowedMs = hourMs;

/** For everything that writes entries long after their requests, so not for the chat function. */
export function createRestoredEntryWriter(
  { logEntries, costRollups }: RestoredEntryTables,
  retentionDays: number,
): LogEntryWriter {
  const allowed = new Map<string, number>();
  const allow = async (organizationId: string, expiresMs: number) => {
    if (expiresMs <= (allowed.get(organizationId) ?? 0)) return;
    const untilMs = expiresMs + allowedMs;
    await allowRestores(costRollups, organizationId, untilMs);
    allowed.set(organizationId, untilMs);
  };
  const put = async (tableName: string, item: Item, options: PutOptions) => {
    await allow(String(item.organization_id), Number(item[writtenAt]) + streamRetentionMs);
    await putWithMark(costRollups, { tableName, item }, options);
  };
  return createLogEntryWriter({ ...logEntries, calls: { put } }, retentionDays);
}

interface EntryPut {
  tableName: string;
  item: Item;
}

async function putWithMark(
  { client, tableName: costRollups }: CostRollupsTable,
  { tableName, item }: EntryPut,
  { condition, timeoutMs }: PutOptions,
): Promise<void> {
  const writtenAtMs = Number(item[writtenAt]);
  const entry = { ...item, [restored]: writtenAtMs };
  const mark = {
    ...markKey(String(item.organization_id), String(item.id)),
    written_ms: writtenAtMs,
    // Without the record, which has left the stream, the entry will not be counted.
    [expiry]: Math.ceil((writtenAtMs + streamRetentionMs) / 1000),
  };
  const ReturnValuesOnConditionCheckFailure = 'ALL_OLD' as const;
  const TransactItems = [
    { Put: { TableName: tableName, Item: entry, ...condition, ReturnValuesOnConditionCheckFailure } },
    { Put: { TableName: costRollups, Item: mark } },
  ];
  const abortSignal = AbortSignal.timeout(Math.max(0, timeoutMs));
  const send = () => client.send(new TransactWriteCommand({ TransactItems }), { abortSignal });
  try {
    // Another process may be restoring the same entry, which takes some milliseconds.
    await retryOnConflict(send, { isConflict });
  } catch (error) {
    const [entryReason] = reasonsOf(error);
    if (entryReason?.Code !== 'ConditionalCheckFailed') throw error;
    throw new ConditionFailedError(fromAttributes({ ...entryReason.Item }));
  }
}

function isConflict(error: unknown): boolean {
  const codes = reasonsOf(error).map(({ Code }) => Code);
  return codes[0] !== 'ConditionalCheckFailed' && codes.includes('TransactionConflict');
}

function reasonsOf(error: unknown) {
  return error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
}

function markKey(organizationId: string, logId: string): ItemKey {
  return { [partitionKey]: `${organizationId}#restored`, [sortKey]: logId };
}

/** Call when the records have been counted. Keeps the mark of an entry that has been restored again since. */
export async function removeMarks(
  { client, tableName }: CostRollupsTable,
  records: readonly RollupRecord[],
): Promise<void> {
  const restoredRecords = records.filter(({ isRestored }) => isRestored);
  await forEachConcurrently(restoredRecords, maxConnections, async ({ entry, writtenAtMs }) => {
    const deletion = new DeleteCommand({
      TableName: tableName,
      Key: markKey(entry.organization_id, entry.id),
      ...conditionExpressions(equals('written_ms', writtenAtMs)),
    });
    await nullIfConditionFails(client.send(deletion));
  });
}

const pageSize = 25;

/**
 * When the request of the oldest restored entry was received that has not been counted, in milliseconds since 1970; `null` if
 * all have. Considers only entries that were restored before `writtenBeforeMs`. Strongly consistent.
 */
export async function findOldestRestored(
  { client, tableName }: CostRollupsTable,
  organizationId: string,
  { writtenBeforeMs, now }: { writtenBeforeMs: number; now: Date },
): Promise<number | null> {
  const pages = paginateQuery(
    { client, pageSize },
    {
      TableName: tableName,
      ConsistentRead: true,
      KeyConditionExpression: '#partition = :partition',
      FilterExpression: '#expiry > :now AND written_ms < :before',
      ExpressionAttributeNames: { '#partition': partitionKey, '#expiry': expiry },
      ExpressionAttributeValues: {
        ':partition': markKey(organizationId, '')[partitionKey],
        ':now': now.getTime() / 1000,
        ':before': writtenBeforeMs,
      },
    },
  );
  for await (const { Items = [] } of pages) {
    const [oldest] = Items;
    if (oldest !== undefined) return timestampOfLogId(String(oldest[sortKey]));
  }
  return null;
}
