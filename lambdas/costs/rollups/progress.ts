/**
 * How far the entries of a log shard have been counted: some rows store when their last entries were written.
 *
 * Entries get their write time shortly before they are written, so a later record of the stream can have an earlier one.
 * Therefore such a row stores the latest write time of each of the last two batches.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import type { RowAddition } from './increments.ts';
import { type CostRollupsTable, itemKey } from './item.ts';
import { additionsOf, isProgressRow } from './rollup.ts';
import type { RollupGeneration } from './state.ts';

/** In milliseconds since 1970. */
export const progressAttributes = ['written_ms', 'earlier_ms'] as const;

/** The assignments of an `UpdateItem`. */
export const setProgress = 'earlier_ms = if_not_exists(written_ms, :written), written_ms = :written';

export function progressValues(additions: readonly RowAddition[]): { ':written': number } {
  return { ':written': Math.max(...additions.map(({ writtenAtMs }) => writtenAtMs ?? 0)) };
}

/**
 * Returns the latest known time, in milliseconds since 1970, up to which the written entries of the entry's log shard have
 * been counted; `null` if the entry itself has not been counted. Strongly consistent.
 */
export async function findCountedUntil(
  { client, tableName }: CostRollupsTable,
  { generation, cutoverMs }: RollupGeneration,
  { entry, writtenAtMs }: StoredLogEntry,
): Promise<number | null> {
  // The rebuild of this generation has counted it.
  if (writtenAtMs < cutoverMs) return cutoverMs;
  const progressRow = additionsOf(entry).find(({ key }) => isProgressRow(key));
  if (progressRow === undefined) return writtenAtMs;
  const { Item = {} } = await client.send(
    new GetCommand({
      TableName: tableName,
      Key: itemKey(generation, progressRow.key),
      ConsistentRead: true,
      ProjectionExpression: progressAttributes.join(),
    }),
  );
  const countedMs = Math.max(...progressAttributes.map((name) => Number(Item[name] ?? 0)));
  return countedMs >= writtenAtMs ? countedMs : null;
}
