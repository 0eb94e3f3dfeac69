/** The rows of the rollups by key, with only the sums that lists of keys show. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import {
  type CostRollupsTable,
  type RollupPartition,
  rollupFromItem,
  rowQuery,
  sumProjection,
  valueRangeRowQuery,
} from '#lambdas/costs/rollups/item.ts';
import { type CostRollup, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { countedRequests } from '#lambdas/costs/rollups/totals.ts';
import { endOfPeriod, type Period } from '#lambdas/platform/period.ts';

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
  /** In the order of the keys. Rejected requests have rows of their own. Without rows whose requests have moved to another row. */
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
  'fallback_attempts',
  'unpriced_requests',
  'cost_usd',
  'assumed_cost_usd',
  'estimated_cost_usd',
]);

/** Whether a request with any of the organization's keys was ever counted. */
export async function hasUsageRows(table: CostRollupsTable, scope: UsageScope, now: Date): Promise<boolean> {
  const months = { startMs: 0, endMs: endOfPeriod('month', now.getTime()) };
  for (const { partition } of await rowPartitions(table, scope, [{ period: 'month', startMs: 0 }])) {
    const query = { ...rowQuery(table, partition, months), ...projection, Limit: 1 };
    const { Items = [] } = await table.client.send(new QueryCommand(query));
    if (Items.length > 0) return true;
  }
  return false;
}

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
      const { value, totals } = row;
      return value === null || countedRequests(totals) === 0 ? [] : { keyId: value, totals };
    }),
    rowsRead: rollups.length,
    next: LastEvaluatedKey,
    lastKeyId: rollups.at(-1)?.value ?? null,
  };
}
