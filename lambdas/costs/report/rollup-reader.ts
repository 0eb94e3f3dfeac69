/** Reads cost rollups from their table. */
import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { type CostRollupsTable, rollupFromItem, rowQuery } from '../rollups/item.ts';
import type { Period } from '../rollups/period.ts';
import type { CostRollup, Dimension } from '../rollups/rollup.ts';

export interface RollupRange {
  organizationId: string;
  generation: number;
  dimension: Dimension;
  period: Period;
  /** From `writeShardCount`. */
  writeShards: number;
  /** Whole periods. */
  window: TimeWindow;
}

export interface CostRollupReader {
  /** The rows of all write shards, in any order. */
  read(range: RollupRange): AsyncIterable<CostRollup>;
}

/** For each of them, a page of 1 MB is in memory. */
const partitionsAtOnce = 8;

interface NextPage {
  writeShard: number;
  /** The end of the page before; `undefined` for the first page. */
  after: QueryCommandOutput['LastEvaluatedKey'];
}

export function createCostRollupReader(table: CostRollupsTable): CostRollupReader {
  return { read: (range) => readPartitions(table, range) };
}

async function* readPartitions(table: CostRollupsTable, range: RollupRange): AsyncGenerator<CostRollup> {
  const waiting = Array.from(
    { length: range.writeShards },
    (_, writeShard): NextPage => ({ writeShard, after: undefined }),
  );
  while (waiting.length > 0) {
    const pages = waiting.splice(0, partitionsAtOnce).map(async ({ writeShard, after }) => {
      const query = rowQuery(table, { ...range, writeShard }, range.window);
      const { Items = [], LastEvaluatedKey } = await table.client.send(
        new QueryCommand({ ...query, ExclusiveStartKey: after }),
      );
      if (LastEvaluatedKey !== undefined) waiting.push({ writeShard, after: LastEvaluatedKey });
      return Items;
    });
    for (const items of await Promise.all(pages)) {
      yield* items.map((item) => rollupFromItem(range.dimension, item));
    }
  }
}
