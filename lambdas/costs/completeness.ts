/** Finds out up to which time the cost rollups have counted everything. */

import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { minuteMs, secondMs } from '#lambdas/platform/duration.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { maxEntryWriteMs } from '#lambdas/request-log/durations.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { findNewestLogEntry } from '#lambdas/request-log/table/extent.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import type { LogShard } from '#lambdas/request-log/table/scan.ts';
import { findOldestUncounted, type UncountedSearch } from './oldest-uncounted.ts';
import { findOldestRestored } from './restored-entries.ts';
import type { CostRollupsTable } from './rollups/item.ts';
import type { RollupGeneration, RollupState } from './rollups/state.ts';
import { findCountedUntil } from './rollups/state.ts';

export interface CompletenessDependencies {
  /** The last entry of the shard that was created before this time. */
  findNewestEntry(shard: LogShard, beforeMs: number): Promise<StoredLogEntry | null>;
  /** The time up to which the shard's entries have been counted; `null` if this entry has not been. */
  findCountedUntil(generation: RollupGeneration, stored: StoredLogEntry): Promise<number | null>;
  /** See `oldest-uncounted.ts`. */
  findOldestUncounted(search: UncountedSearch): Promise<number | null>;
  /** See `restored-entries.ts`. */
  findOldestRestored(organizationId: string, writtenBeforeMs: number): Promise<number | null>;
  now(): Date;
}

export interface CompletenessSources {
  logEntries: Pick<LogEntriesTable, 'client' | 'tableName'>;
  costRollups: CostRollupsTable;
  now(): Date;
}

export function createCompletenessDependencies({
  logEntries,
  costRollups,
  now,
}: CompletenessSources): CompletenessDependencies {
  return {
    findNewestEntry: (shard, beforeMs) => findNewestLogEntry(logEntries, shard, beforeMs),
    findCountedUntil: (generation, stored) => findCountedUntil(costRollups, generation, stored),
    findOldestUncounted: (search) =>
      findOldestUncounted({ logEntries: { ...logEntries, now }, costRollups }, search),
    findOldestRestored: (organizationId, writtenBeforeMs) =>
      findOldestRestored(costRollups, organizationId, { writtenBeforeMs, now: now() }),
    now,
  };
}

/** The ages at which entries are looked up, until one is found that has been counted. Usually the first or second is. */
const probeAgesMs = [
  5 * secondMs,
  30 * secondMs,
  3 * minuteMs,
  20 * minuteMs,
  120 * minuteMs,
  720 * minuteMs,
];

/** Up to this lag, the oldest uncounted entry need not be known exactly. */
const acceptedLagMs = 10 * secondMs;

const maxConcurrentShards = 16;

/**
 * Returns a time, in milliseconds since 1970: every request whose entry was written before it has been counted. This is the
 * present if the newest entry of each shard has been counted, and every restored one. If a restored entry has not been
 * counted, every request that was received before the returned time has been. Entries that were restored at
 * `restoredBeforeMs` or later are left out. The shards are of one organization.
 *
 * While an entry is uncounted, the returned time is that of its write, or up to ten seconds ago, or earlier if there are too many
 * entries to look for the oldest uncounted one.
 *
 * The newest entry is the one whose request was received last. While counting is delayed, an uncounted entry is overlooked if
 * the newest one overtook it: because its request was received earlier but took longer, or because its write took longer.
 */
export async function findCompleteUntil(
  dependencies: CompletenessDependencies,
  state: RollupGeneration & Pick<RollupState, 'restoredUntilMs'>,
  shards: readonly LogShard[],
  restoredBeforeMs = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const nowMs = dependencies.now().getTime();
  let completeUntilMs = nowMs;
  const [first] = shards;
  const mayHaveMarks = first !== undefined && nowMs < (state.restoredUntilMs ?? 0);
  const [restoredMs] = await Promise.all([
    mayHaveMarks ? dependencies.findOldestRestored(first.organizationId, restoredBeforeMs) : null,
    forEachConcurrently(shards, maxConcurrentShards, async (shard) => {
      const shardMs = await findShardCompleteUntil(dependencies, state, shard);
      completeUntilMs = Math.min(completeUntilMs, shardMs);
    }),
  ]);
  return Math.min(completeUntilMs, restoredMs ?? completeUntilMs);
}

async function findShardCompleteUntil(
  dependencies: CompletenessDependencies,
  generation: RollupGeneration,
  shard: LogShard,
): Promise<number> {
  const { findNewestEntry, findCountedUntil, now } = dependencies;
  const nowMs = now().getTime();
  const newest = await findNewestEntry(shard, allTime.endMs);
  if (newest === null || (await findCountedUntil(generation, newest)) !== null) return nowMs;
  let uncountedMs = newest.writtenAtMs;
  for (const ageMs of probeAgesMs) {
    const stored = await findNewestEntry(shard, nowMs - ageMs);
    const countedMs = stored === null ? nowMs - ageMs : await findCountedUntil(generation, stored);
    if (countedMs !== null) {
      // Without an earlier entry, none is being written that has an earlier write time.
      const writingMs = stored === null ? 0 : maxEntryWriteMs;
      const searched = { shard, generation: generation.generation, countedMs: countedMs - writingMs };
      return searchOldestUncounted(dependencies, searched, uncountedMs - writingMs);
    }
    uncountedMs = Math.min(uncountedMs, stored?.writtenAtMs ?? uncountedMs);
  }
  return generation.cutoverMs;
}

/**
 * The lag is the age of the oldest uncounted entry, not the time since the last counted one: after a pause, that is long ago,
 * although nothing has waited.
 */
async function searchOldestUncounted(
  { findOldestUncounted, now }: CompletenessDependencies,
  search: UncountedSearch,
  uncountedMs: number,
): Promise<number> {
  const nowMs = now().getTime();
  const certainMs = Math.min(search.countedMs, uncountedMs);
  if (certainMs >= nowMs - acceptedLagMs) return certainMs;
  const oldestMs = await findOldestUncounted(search);
  return Math.max(certainMs, Math.min(oldestMs ?? certainMs, nowMs));
}
