/**
 * How far the entries of a log shard have been counted: the rows by API key and month store when the last of their entries
 * was written. Each entry is in one of them, and they have a write shard for each log shard, so their entries arrive in the
 * order of the stream.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { type CostRollupsTable, itemKey } from './item.ts';
import { additionsOf, type RollupKey } from './rollup.ts';
import type { RollupGeneration } from './state.ts';

/** In milliseconds since 1970. */
export const lastWrittenAttribute = 'written_ms';

export function isProgressRow({ dimension, period }: Pick<RollupKey, 'dimension' | 'period'>): boolean {
  return dimension === 'api_key' && period === 'month';
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
  if (!(writtenAtMs >= cutoverMs)) return cutoverMs;
  const progressRow = additionsOf(entry).find(({ key }) => isProgressRow(key));
  // No row counts it, such as an entry without a model: there is nothing to wait for.
  if (progressRow === undefined) return writtenAtMs;
  const { Item = {} } = await client.send(
    new GetCommand({
      TableName: tableName,
      Key: itemKey(generation, progressRow.key),
      ConsistentRead: true,
      ProjectionExpression: lastWrittenAttribute,
    }),
  );
  const lastWrittenMs = Number(Item[lastWrittenAttribute] ?? 0);
  return lastWrittenMs >= writtenAtMs ? lastWrittenMs : null;
}
