/** In-memory rollups of log entries, for the search for hours with matching entries. Counts reads. */

import { additionsOf, type EntryAddition, type RollupKey } from '#lambdas/costs/rollups/rollup.ts';
import { sumTotals } from '#lambdas/costs/rollups/totals.ts';
import { parsePeriodText } from '#lambdas/platform/period.ts';
import type { WindowDependencies } from '#lambdas/reports/logs/search/windows.ts';
import type { RollupRange } from '#lambdas/reports/rollup-reader.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { shardOfLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';

export interface MemoryRollupOptions {
  entries?: readonly LogEntry[];
  /** Counted, but no longer in the table. */
  expired?: readonly LogEntry[];
  /** In the table, but not counted yet. */
  uncounted?: readonly LogEntry[];
  nowMs: number;
}

interface MemoryRollups {
  dependencies: WindowDependencies;
  /** The ranges that were read, in order. */
  reads: RollupRange[];
}

export function memoryRollups({
  entries = [],
  expired = [],
  uncounted = [],
  nowMs,
}: MemoryRollupOptions): MemoryRollups {
  const additions = [...entries, ...expired].flatMap(additionsOf);
  const rows = [...Map.groupBy(additions, ({ key }) => JSON.stringify(key)).values()];
  const reads: RollupRange[] = [];
  const stored = [...entries, ...uncounted]
    .map((entry) => ({ entry, writtenAtMs: Date.parse(entry.created_at) + entry.latency_ms }))
    .sort((one, other) => (one.entry.id < other.entry.id ? 1 : -1));
  const inShard = (shard: number) => stored.filter(({ entry }) => shardOfLogId(entry.id) === shard);
  return {
    reads,
    dependencies: {
      now: () => new Date(nowMs),
      findRollupState: async () => ({ generation: 0, cutoverMs: 0, rebuild: null }),
      findNewestEntry: async ({ shard }, beforeMs) =>
        inShard(shard).find(({ entry }) => timestampOfLogId(entry.id) < beforeMs) ?? null,
      findCountedUntil: async (_, { entry, writtenAtMs }) => (uncounted.includes(entry) ? null : writtenAtMs),
      findOldestUncounted: async () => null,
      findOldestRestored: async () => null,
      findOldestEntryMs: async ({ shard }) => {
        const oldest = inShard(shard).at(-1);
        return oldest === undefined ? null : timestampOfLogId(oldest.entry.id);
      },
      rollupReader: {
        async *read(range) {
          reads.push(range);
          for (const row of rows) {
            const [first] = row;
            if (first !== undefined && isInRange(first.key, range)) yield toRollup(first.key, row);
          }
        },
      },
    },
  };
}

function isInRange(key: RollupKey, { dimension, period, writeShards, window, value }: RollupRange): boolean {
  const startMs = parsePeriodText(key.periodStart);
  return (
    key.dimension === dimension &&
    key.period === period &&
    key.writeShard < writeShards &&
    (value == null || key.value === value) &&
    startMs >= window.startMs &&
    startMs < window.endMs
  );
}

function toRollup(key: RollupKey, additions: readonly EntryAddition[]) {
  const { periodStart, value, provider, operation, serviceTier, model } = key;
  const totals = sumTotals(additions.map((addition) => addition.totals));
  return { startMs: parsePeriodText(periodStart), value, provider, operation, serviceTier, model, totals };
}
