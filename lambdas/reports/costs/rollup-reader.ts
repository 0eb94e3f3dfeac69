import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { type CostRollupsTable, rollupFromItem, rowQuery } from '#lambdas/costs/rollups/item.ts';
import type { Period } from '#lambdas/costs/rollups/period.ts';
import type { CostRollup, Dimension } from '#lambdas/costs/rollups/rollup.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';

export interface RollupRange {
  organizationId: string;
  generation: number;
  dimension: Dimension;
  period: Period;
  writeShards: number;
  /** Whole periods. */
  window: TimeWindow;
}

export interface CostRollupReader {
  /** Yields rows in no particular order. */
  read(range: RollupRange): AsyncIterable<CostRollup>;
}

/** Each keeps one page in memory, at most 1 MB. */
const maxConcurrentPartitions = 8;

interface NextPage {
  writeShard: number;
  exclusiveStartKey: QueryCommandOutput['LastEvaluatedKey'];
}

export function createCostRollupReader(table: CostRollupsTable): CostRollupReader {
  return { read: (range) => readPartitions(table, range) };
}

async function* readPartitions(table: CostRollupsTable, range: RollupRange): AsyncGenerator<CostRollup> {
  const pending = Array.from(
    { length: range.writeShards },
    (_, writeShard): NextPage => ({ writeShard, exclusiveStartKey: undefined }),
  );
  while (pending.length > 0) {
    const pages = pending
      .splice(0, maxConcurrentPartitions)
      .map(async ({ writeShard, exclusiveStartKey }) => {
        const query = rowQuery(table, { ...range, writeShard }, range.window);
        const { Items = [], LastEvaluatedKey } = await table.client.send(
          new QueryCommand({ ...query, ExclusiveStartKey: exclusiveStartKey }),
        );
        if (LastEvaluatedKey !== undefined) pending.push({ writeShard, exclusiveStartKey: LastEvaluatedKey });
        return Items;
      });
    for (const items of await Promise.all(pages)) {
      yield* items.map((item) => rollupFromItem(range.dimension, item));
    }
  }
}
