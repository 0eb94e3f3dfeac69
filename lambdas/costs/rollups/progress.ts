/** How far the entries of a log shard have been counted: some rows store when the last of their entries was written. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { type CostRollupsTable, itemKey } from './item.ts';
import { additionsOf, isProgressRow } from './rollup.ts';
import type { RollupGeneration } from './state.ts';

/** In milliseconds since 1970. */
export const lastWrittenAttribute = 'written_ms';

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
      ProjectionExpression: lastWrittenAttribute,
    }),
  );
  const lastWrittenMs = Number(Item[lastWrittenAttribute] ?? 0);
  return lastWrittenMs >= writtenAtMs ? lastWrittenMs : null;
}
