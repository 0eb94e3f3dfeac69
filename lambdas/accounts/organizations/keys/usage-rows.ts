/** The rows of the rollups by key, with only the sums that lists of keys show. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import {
  type CostRollupsTable,
  type RollupPartition,
  rollupFromItem,
  sumProjection,
  valueRangeRowQuery,
} from '#lambdas/costs/rollups/item.ts';
import { type CostRollup, isInCosts, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import type { Period } from '#lambdas/platform/period.ts';

export interface UsageScope {
  organizationId: string;
  logShards: number;
}

/** The rows of a period in one write shard. */
export interface RowPartition {
  partition: RollupPartition;
  startMs: number;
}

const dimension = 'api_key';

/** The partitions of the periods that begin at these times. */
export async function rowPartitions(
  table: CostRollupsTable,
  { organizationId, logShards }: UsageScope,
  periods: readonly { period: Period; startMs: number }[],
): Promise<RowPartition[]> {
  const { generation } = await findRollupState(table, organizationId);
  return periods.flatMap(({ period, startMs }) =>
    Array.from({ length: writeShardCount(dimension, logShards) }, (_, writeShard) => ({
      partition: { organizationId, generation, dimension, period, writeShard },
      startMs,
    })),
  );
}

interface RowQuery extends RowPartition {
  /** The ids of the first and the last key. */
  first: string;
  last: string;
  limit?: number;
  /** Otherwise, at half the read units, rows may lack what was counted in the last second. */
  isConsistent?: boolean;
  /** The `next` of the page before. */
  from?: RowPage['next'];
}

export interface RowPage {
  /** In the order of the keys. Without rejected requests, and without rows whose requests have moved to another row. */
  rows: UsageRow[];
  rowsRead: number;
  /** `undefined` on the last page. */
  next: Record<string, unknown> | undefined;
  /** The id of the last key, of which the next page may have further rows. */
  lastKeyId: string | null;
}

export interface UsageRow extends Pick<CostRollup, 'totals'> {
  keyId: string;
}

const projection = sumProjection([
  'requests',
  'rejected_requests',
  'unpriced_requests',
  'cost_usd',
  'assumed_cost_usd',
  'estimated_cost_usd',
]);

export async function readRowPage(
  table: CostRollupsTable,
  { partition, startMs, first, last, limit, isConsistent = true, from }: RowQuery,
): Promise<RowPage> {
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      ...valueRangeRowQuery(table, partition, startMs, { first, last }),
      ...projection,
      ConsistentRead: isConsistent,
      ExclusiveStartKey: from,
      Limit: limit,
    }),
  );
  const rollups = Items.map((item) => rollupFromItem(dimension, item));
  return {
    rows: rollups.flatMap((row) => {
      const isCounted = isInCosts(row, dimension) && row.totals.requests !== 0;
      return row.value === null || !isCounted ? [] : { keyId: row.value, totals: row.totals };
    }),
    rowsRead: rollups.length,
    next: LastEvaluatedKey,
    lastKeyId: rollups.at(-1)?.value ?? null,
  };
}
