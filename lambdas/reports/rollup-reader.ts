import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import {
  type CostRollupsTable,
  type RollupPartition,
  rollupFromItem,
  rowQuery,
  valueRowQuery,
} from '#lambdas/costs/rollups/item.ts';
import type { CostRollup, Dimension } from '#lambdas/costs/rollups/rollup.ts';
import { outermostRowStartMs } from '#lambdas/costs/rollups/rows.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { endOfPeriod, type Period } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';

export interface RollupPartitions {
  organizationId: string;
  generation: number;
  dimension: Dimension;
  period: Period;
  writeShards: number;
}

export interface RollupRange extends RollupPartitions {
  /** Whole periods. */
  window: TimeWindow;
  /**
   * Reads only rows of this value, with one query for each period and write shard, since rows are sorted by time first. The
   * window must not be open then.
   */
  value?: string | null;
}

export interface CostRollupReader {
  /** Yields rows in no particular order. */
  read(range: RollupRange): AsyncIterable<CostRollup>;
  /** From the first to the last period with rows; `null` without any. */
  findSpan(partitions: RollupPartitions): Promise<TimeWindow | null>;
}

/** Each keeps one page in memory, at most 1 MB. */
const maxConcurrentPages = 8;
/** Each has a few rows. */
const maxConcurrentValueQueries = 32;

export function createCostRollupReader(table: CostRollupsTable): CostRollupReader {
  return {
    read: (range) => readRollups(table, range),
    async findSpan(partitions) {
      const startsMs: number[] = [];
      await forEachConcurrently(writeShardsOf(partitions), maxConcurrentPages, async (writeShard) => {
        for (const which of ['first', 'last'] as const) {
          const startMs = await outermostRowStartMs(table, { ...partitions, writeShard }, which);
          if (startMs !== null) startsMs.push(startMs);
        }
      });
      if (startsMs.length === 0) return null;
      const [firstMs, lastMs] = [Math.min(...startsMs), Math.max(...startsMs)];
      return { startMs: firstMs, endMs: endOfPeriod(partitions.period, lastMs) };
    },
  };
}

interface NextPage {
  query: ReturnType<typeof rowQuery>;
  exclusiveStartKey: QueryCommandOutput['LastEvaluatedKey'];
}

async function* readRollups(table: CostRollupsTable, range: RollupRange): AsyncGenerator<CostRollup> {
  const maxConcurrency = range.value == null ? maxConcurrentPages : maxConcurrentValueQueries;
  const pending = queriesOf(table, range).map((query): NextPage => ({ query, exclusiveStartKey: undefined }));
  while (pending.length > 0) {
    const pages = pending.splice(0, maxConcurrency).map(async ({ query, exclusiveStartKey }) => {
      const { Items = [], LastEvaluatedKey } = await table.client.send(
        new QueryCommand({ ...query, ExclusiveStartKey: exclusiveStartKey }),
      );
      if (LastEvaluatedKey !== undefined) pending.push({ query, exclusiveStartKey: LastEvaluatedKey });
      return Items;
    });
    for (const items of await Promise.all(pages)) {
      yield* items.map((item) => rollupFromItem(range.dimension, item));
    }
  }
}

function queriesOf(table: CostRollupsTable, { window, value, ...partitions }: RollupRange) {
  return writeShardsOf(partitions).flatMap((writeShard) => {
    const partition: RollupPartition = { ...partitions, writeShard };
    if (value == null) return [rowQuery(table, partition, window)];
    return periodStarts(partition.period, window).map((startMs) =>
      valueRowQuery(table, partition, startMs, value),
    );
  });
}

function periodStarts(period: Period, { startMs, endMs }: TimeWindow): number[] {
  const starts: number[] = [];
  for (let ms = startMs; ms < endMs; ms = endOfPeriod(period, ms)) starts.push(ms);
  return starts;
}

function writeShardsOf({ writeShards }: RollupPartitions): number[] {
  return Array.from({ length: writeShards }, (_, writeShard) => writeShard);
}
