/** The rows of cost rollups as they are in their table, partition by partition: for checks and repairs. */
import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import {
  type CostRollupsTable,
  partitionOf,
  type RollupPartition,
  rollupFromItem,
  rowQuery,
} from './item.ts';
import { startOfPeriodText } from './period.ts';
import { type CostRollup, dimensions, periodsOf, writeShardCount } from './rollup.ts';
import { costRollupsSchema, type ItemKey } from './schema.ts';

const { partitionKey, sortKey } = costRollupsSchema;

export interface RollupRow extends ItemKey {
  rollup: CostRollup;
}

export interface RowRange {
  /** Whole periods. */
  window: TimeWindow;
  /** Only rows after the one with this sort key. */
  after?: string | undefined;
}

/** As many connections as the AWS SDK keeps. */
const rowsAtOnce = 50;

/** One generation of an organization's rows. */
export interface OrganizationGeneration {
  organizationId: string;
  generation: number;
  /** The number of shards that the organization's entries lie in, which decides how many partitions there are. */
  logShards: number;
}

/** All partitions that a generation can have rows in, always in the same order. */
export function rollupPartitions(rows: OrganizationGeneration): RollupPartition[] {
  const { organizationId, generation, logShards } = rows;
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

/** Pages as DynamoDB cuts them, in the order of the sort keys. Strongly consistent. */
export async function* readRowPages(
  table: CostRollupsTable,
  partition: RollupPartition,
  { window, after }: RowRange,
): AsyncGenerator<RollupRow[]> {
  const name = partitionOf(partition);
  const keyAt = (text: unknown): ItemKey => ({ [partitionKey]: name, [sortKey]: String(text) });
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

/** The start of the partition's first row, in milliseconds since 1970; `null` when it has none. */
export async function firstRowStart(
  table: CostRollupsTable,
  partition: RollupPartition,
): Promise<number | null> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.tableName,
      ConsistentRead: true,
      KeyConditionExpression: `${partitionKey} = :partition`,
      ExpressionAttributeValues: { ':partition': partitionOf(partition) },
      Limit: 1,
    }),
  );
  const [first] = Items;
  return first === undefined ? null : startOfPeriodText(String(first[sortKey]).split('#', 1).join());
}

/** Deletes rows. Idempotent. */
export async function deleteRows(table: CostRollupsTable, rows: RollupRow[]): Promise<void> {
  await forEachConcurrently(rows, rowsAtOnce, async ({ pk, sk }) => {
    await table.client.send(new DeleteCommand({ TableName: table.tableName, Key: { pk, sk } }));
  });
}
