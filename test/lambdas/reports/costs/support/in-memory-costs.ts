/** In-memory dependencies of the costs endpoint, which count reads and are fast enough for property tests. */

import { additionsOf, type CostRollup, type RollupKey } from '#lambdas/costs/rollups/rollup.ts';
import { addTotals, noTotals } from '#lambdas/costs/rollups/totals.ts';
import { endOfPeriod, parsePeriodText } from '#lambdas/platform/period.ts';
import type { CostDependencies } from '#lambdas/reports/costs/read.ts';
import type { RollupRange } from '#lambdas/reports/rollup-reader.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import { createdMs } from './expected-costs.ts';

export interface InMemoryCostsOptions {
  entries: LogEntry[];
  /** Entries that have expired: the rollups still include them, but reads no longer return them. */
  expired?: Set<LogEntry>;
  logShards: number;
  now: Date;
}

export interface ReadCounts {
  rollupRows: number;
  entries: number;
  /** The number of whole periods that were queried, with or without rows, by dimension and period. */
  periods: Record<string, number>;
  /** The total length of the windows whose entries were queried, counted once for all shards. */
  entryWindowsMs: number;
}

export interface InMemoryCosts {
  dependencies: CostDependencies;
  reads: ReadCounts;
}

export function createInMemoryCosts(options: InMemoryCostsOptions): InMemoryCosts {
  const { entries, expired = new Set(), logShards, now } = options;
  const reads: ReadCounts = { rollupRows: 0, entries: 0, periods: {}, entryWindowsMs: 0 };
  const rows = toRollupRows(entries);
  return {
    reads,
    dependencies: {
      logShardsOf: async () => logShards,
      findRollupState: async () => ({ generation: 0, cutoverMs: 0, rebuild: null }),
      rollupReader: {
        async *read(range) {
          const name = `${range.dimension} ${range.period}`;
          reads.periods[name] = (reads.periods[name] ?? 0) + countPeriods(range);
          const matching = rows.filter(({ key, rollup }) => isInRange(range, key, rollup));
          reads.rollupRows += matching.length;
          yield* matching.map(({ rollup }) => rollup);
        },
        async findSpan({ dimension, period, writeShards }) {
          const window = { startMs: 0, endMs: Number.POSITIVE_INFINITY };
          const range = { organizationId: '', generation: 0, dimension, period, writeShards, window };
          const starts = rows
            .filter(({ key, rollup }) => isInRange(range, key, rollup))
            .map(({ rollup }) => rollup.startMs);
          if (starts.length === 0) return null;
          return { startMs: Math.min(...starts), endMs: endOfPeriod(period, Math.max(...starts)) };
        },
      },
      async *readEntries({ shard, window, onScanned }) {
        if (shard === 0) reads.entryWindowsMs += window.endMs - window.startMs;
        const matching = entries.filter(
          (entry) =>
            !expired.has(entry) &&
            shardOfLogId(entry.id) === shard &&
            createdMs(entry) >= window.startMs &&
            createdMs(entry) < window.endMs,
        );
        reads.entries += matching.length;
        for (const entry of matching) {
          onScanned(1);
          yield expired.has(entry) ? [] : [{ entry, writtenAtMs: createdMs(entry) }];
        }
      },
      findNewestEntry: async () => null,
      findCountedUntil: async () => null,
      findOldestUncounted: async () => null,
      findOldestRestored: async () => null,
      now: () => now,
    },
  };
}

interface Row {
  key: RollupKey;
  rollup: CostRollup;
}

function toRollupRows(entries: LogEntry[]): Row[] {
  const rows = new Map<string, Row>();
  for (const entry of entries) {
    for (const { key, totals: added } of additionsOf(entry)) {
      const name = JSON.stringify(key);
      const { provider, operation, serviceTier, model, value } = key;
      const startMs = parsePeriodText(key.periodStart);
      const totals = addTotals(rows.get(name)?.rollup.totals ?? noTotals, added);
      rows.set(name, { key, rollup: { startMs, provider, operation, serviceTier, model, value, totals } });
    }
  }
  return [...rows.values()];
}

function isInRange(
  { dimension, period, writeShards, window, value = null }: RollupRange,
  key: RollupKey,
  { startMs }: CostRollup,
): boolean {
  const isInPartition = key.dimension === dimension && key.period === period && key.writeShard < writeShards;
  return (
    isInPartition &&
    (value === null || key.value === value) &&
    startMs >= window.startMs &&
    startMs < window.endMs
  );
}

/** Clips open bounds, which span thousands of years, to the years of the test's entries. */
function countPeriods({ period, window }: RollupRange): number {
  const endMs = Math.min(window.endMs, Date.UTC(2027, 0));
  let count = 0;
  for (let at = Math.max(window.startMs, Date.UTC(2025, 0)); at < endMs; at = endOfPeriod(period, at))
    count++;
  return count;
}
