/** Reads and deletes the rows of cost rollups, partition by partition, for verification and repair. */
import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { maxConnections } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { parsePeriodText } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import {
  type CostRollupsTable,
  partitionKeyOf,
  type RollupPartition,
  rollupFromItem,
  rowQuery,
} from './item.ts';
import { type CostRollup, dimensions, periodsOf, writeShardCount } from './rollup.ts';
import { costRollupsSchema, type ItemKey } from './schema.ts';

const { partitionKey, sortKey } = costRollupsSchema;

export interface RollupRow extends ItemKey {
  rollup: CostRollup;
}

interface RowSelection {
  /** Starts and ends at the boundaries of periods. */
  window: TimeWindow;
  /** The sort key of the last row to skip. */
  after?: string | undefined;
}

export interface OrganizationGeneration {
  organizationId: string;
  generation: number;
  logShards: number;
}

/** Always in the same order. */
export function rollupPartitions({
  organizationId,
  generation,
  logShards,
}: OrganizationGeneration): RollupPartition[] {
  return dimensions.flatMap((dimension) =>
    periodsOf(dimension).flatMap((period) =>
      Array.from({ length: writeShardCount(dimension, logShards) }, (_, writeShard) => ({
        organizationId,
        generation,
        dimension,
        period,
        writeShard,
      })),
    ),
  );
}

/** Yields pages in the order of the sort keys. */
export async function* readRowPages(
  table: CostRollupsTable,
  partition: RollupPartition,
  { window, after }: RowSelection,
): AsyncGenerator<RollupRow[]> {
  const partitionKeyValue = partitionKeyOf(partition);
  const keyAt = (text: unknown): ItemKey => ({ [partitionKey]: partitionKeyValue, [sortKey]: String(text) });
  let ExclusiveStartKey = after === undefined ? undefined : keyAt(after);
  do {
    const page = await table.client.send(
      new QueryCommand({ ...rowQuery(table, partition, window), ExclusiveStartKey }),
    );
    yield (page.Items ?? []).map((item) => ({
      ...keyAt(item[sortKey]),
      rollup: rollupFromItem(partition.dimension, item),
    }));
    ExclusiveStartKey = page.LastEvaluatedKey && keyAt(page.LastEvaluatedKey[sortKey]);
  } while (ExclusiveStartKey !== undefined);
}

/** The start of the period of the first or last row. */
export async function outermostRowStartMs(
  table: CostRollupsTable,
  partition: RollupPartition,
  which: 'first' | 'last',
): Promise<number | null> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.tableName,
      ConsistentRead: true,
      KeyConditionExpression: `${partitionKey} = :partition`,
      ExpressionAttributeValues: { ':partition': partitionKeyOf(partition) },
      ScanIndexForward: which === 'first',
      Limit: 1,
    }),
  );
  const [row] = Items;
  return row === undefined ? null : parsePeriodText(String(row[sortKey]).split('#', 1).join());
}

export async function deleteRows(table: CostRollupsTable, rows: RollupRow[]): Promise<void> {
  await forEachConcurrently(rows, maxConnections, async (row) => {
    const Key: ItemKey = { [partitionKey]: row[partitionKey], [sortKey]: row[sortKey] };
    await table.client.send(new DeleteCommand({ TableName: table.tableName, Key }));
  });
}
