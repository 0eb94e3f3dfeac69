/** What the costs are read from, in memory: quick enough for many questions, and it counts what each one reads. */

import type { CostDependencies } from '#lambdas/costs/report/read.ts';
import type { RollupRange } from '#lambdas/costs/report/rollup-reader.ts';
import { endOfPeriod, startOfPeriodText } from '#lambdas/costs/rollups/period.ts';
import { type CostRollup, type RollupKey, rollupKeysOf, totalsOf } from '#lambdas/costs/rollups/rollup.ts';
import { addTotals, noTotals } from '#lambdas/costs/rollups/totals.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import { timeOf } from './summed-costs.ts';

export interface MemorySourcesOptions {
  entries: LogEntry[];
  /** Entries that have expired: counted, and no longer there. */
  expired?: Set<LogEntry>;
  /** Whether those that have expired are deleted already, and cost nothing to look at; true where left out. */
  areDeleted?: boolean;
  logShards: number;
  now: Date;
}

export interface CostsRead {
  sums: number;
  entries: number;
  /** The whole periods that sums were asked for, whether or not there are any, of each dimension. */
  spans: Record<string, number>;
  /** Of all windows that entries were asked for, once and not for each shard. */
  entriesMs: number;
}

export function createMemorySources(options: MemorySourcesOptions): {
  sources: CostDependencies;
  read: CostsRead;
} {
  const { entries, expired = new Set(), areDeleted = true, logShards, now } = options;
  const read: CostsRead = { sums: 0, entries: 0, spans: {}, entriesMs: 0 };
  const rows = rollUp(entries);
  return {
    read,
    sources: {
      logShardsOf: async () => logShards,
      findRollupState: async () => ({ generation: 0, fromMs: 0, rebuild: null }),
      rollups: {
        async *read(range) {
          const name = `${range.dimension} ${range.period}`;
          read.spans[name] = (read.spans[name] ?? 0) + periodsIn(range);
          const found = rows.filter(({ key, rollup }) => isIn(range, key, rollup));
          read.sums += found.length;
          yield* found.map(({ rollup }) => rollup);
        },
      },
      async *readEntries({ shard, window, onScanned }) {
        if (shard === 0) read.entriesMs += window.endMs - window.startMs;
        const found = entries.filter(
          (entry) =>
            !(areDeleted && expired.has(entry)) &&
            shardOfLogId(entry.id) === shard &&
            timeOf(entry) >= window.startMs &&
            timeOf(entry) < window.endMs,
        );
        read.entries += found.length;
        for (const entry of found) {
          onScanned(1);
          yield expired.has(entry) ? [] : [{ entry, writtenAtMs: timeOf(entry) }];
        }
      },
      now: () => now,
    },
  };
}

interface Row {
  key: RollupKey;
  rollup: CostRollup;
}

function rollUp(entries: LogEntry[]): Row[] {
  const rows = new Map<string, Row>();
  for (const entry of entries) {
    for (const key of rollupKeysOf(entry)) {
      const name = JSON.stringify(key);
      const { provider, model, value } = key;
      const startMs = startOfPeriodText(key.periodStart);
      const row = rows.get(name) ?? { key, rollup: { startMs, provider, model, value, totals: noTotals } };
      const totals = addTotals(row.rollup.totals, totalsOf(entry));
      rows.set(name, { key, rollup: { ...row.rollup, totals } });
    }
  }
  return [...rows.values()];
}

function isIn(
  { dimension, period, writeShards, window }: RollupRange,
  key: RollupKey,
  { startMs }: CostRollup,
): boolean {
  const isAsked = key.dimension === dimension && key.period === period && key.writeShard < writeShards;
  return isAsked && startMs >= window.startMs && startMs < window.endMs;
}

/** Open bounds stand for thousands of years; those of the test's entries are enough. */
function periodsIn({ period, window }: RollupRange): number {
  const endMs = Math.min(window.endMs, Date.UTC(2027, 0));
  let count = 0;
  for (let at = Math.max(window.startMs, Date.UTC(2025, 0)); at < endMs; at = endOfPeriod(period, at))
    count++;
  return count;
}
