/** Finds out up to which time the cost rollups have counted everything. */

import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { maxEntryWriteMs } from '#lambdas/request-log/durations.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import type { LogShard } from '#lambdas/request-log/table/scan.ts';
import type { RollupGeneration } from './state.ts';

export interface CompletenessDependencies {
  /** The last entry of the shard that was created before this time. */
  findNewestEntry(shard: LogShard, beforeMs: number): Promise<StoredLogEntry | null>;
  /** The time up to which the shard's entries have been counted; `null` if this entry has not been. */
  findCountedUntil(generation: RollupGeneration, stored: StoredLogEntry): Promise<number | null>;
  now(): Date;
}

const secondMs = 1000;
const minuteMs = 60_000;

/** The ages at which entries are looked up, until one is found that has been counted. Usually the first or second is. */
const probeAgesMs = [
  5 * secondMs,
  30 * secondMs,
  3 * minuteMs,
  20 * minuteMs,
  120 * minuteMs,
  720 * minuteMs,
];

const maxConcurrentShards = 16;

/**
 * Returns a time, in milliseconds since 1970: every request whose entry was written before it has been counted. This is the
 * present if the newest entry of each shard has been counted.
 *
 * The newest entry is the one whose request was received last. While counting is delayed, an uncounted entry is overlooked if
 * the newest one overtook it: because its request was received earlier but took longer, or because its write took longer.
 */
export async function findCompleteUntil(
  dependencies: CompletenessDependencies,
  generation: RollupGeneration,
  shards: readonly LogShard[],
): Promise<number> {
  let completeUntilMs = dependencies.now().getTime();
  await forEachConcurrently(shards, maxConcurrentShards, async (shard) => {
    const shardMs = await findShardCompleteUntil(dependencies, generation, shard);
    completeUntilMs = Math.min(completeUntilMs, shardMs);
  });
  return completeUntilMs;
}

async function findShardCompleteUntil(
  { findNewestEntry, findCountedUntil, now }: CompletenessDependencies,
  generation: RollupGeneration,
  shard: LogShard,
): Promise<number> {
  const nowMs = now().getTime();
  const newest = await findNewestEntry(shard, allTime.endMs);
  if (newest === null || (await findCountedUntil(generation, newest)) !== null) return nowMs;
  let uncountedMs = newest.writtenAtMs;
  for (const ageMs of probeAgesMs) {
    const stored = await findNewestEntry(shard, nowMs - ageMs);
    if (stored === null) return Math.min(uncountedMs, nowMs - ageMs);
    const countedMs = await findCountedUntil(generation, stored);
    if (countedMs !== null) return Math.min(uncountedMs, countedMs) - maxEntryWriteMs;
    uncountedMs = Math.min(uncountedMs, stored.writtenAtMs);
  }
  return generation.cutoverMs;
}
