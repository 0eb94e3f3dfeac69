/**
 * The windows whose entries a page has to read: the window of the query, or only its hours that may have matching entries.
 *
 * Rollup rows tell these hours for filters without an index. Hours that the rollups may not have counted completely are
 * always read, so that no entry is missing.
 */

import { findCompleteUntil } from '#lambdas/costs/completeness.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { hourMs } from '#lambdas/platform/duration.ts';
import { startOfPeriod } from '#lambdas/platform/period.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { clockSkewToleranceMs, maxRequestMs } from '#lambdas/request-log/durations.ts';
import { firstLogIdAt, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { type LogShard, shardsOf } from '#lambdas/request-log/table/scan.ts';
import type { ReportDependencies } from '../dependencies.ts';
import { findMatchingHours, type SearchLimit } from './hour-search.ts';
import type { LogQuery } from './query.ts';
import { rowConditionsOf } from './row-conditions.ts';

export interface WindowDependencies extends Omit<ReportDependencies, 'rollupReader'> {
  rollupReader: Pick<ReportDependencies['rollupReader'], 'read'>;
  /** In milliseconds since 1970; `null` without entries. */
  findOldestEntryMs(shard: LogShard): Promise<number | null>;
}

interface EntryWindow extends TimeWindow {
  /** Set if it is known that no window follows. */
  isLast?: boolean;
}

/**
 * Windows that do not overlap, newest first. They are found when an iteration first requests them; further iterations share
 * them.
 */
export interface EntryWindows extends AsyncIterable<EntryWindow> {
  /**
   * Resolves, when all windows have been found, to the time before which no entries were searched, because the limit of reads
   * was reached; to `null` if all were.
   */
  findUnsearchedBeforeMs(): Promise<number | null>;
}

interface PageRange {
  query: LogQuery;
  shards: number;
  /** The page contains entries older than this id; `undefined` to start at the newest. */
  before: string | undefined;
}

/** The running hour and the one before are always read. */
const recentMs = hourMs;
const maxConcurrentShards = 16;

export function findEntryWindows(
  dependencies: WindowDependencies,
  range: PageRange,
  searchLimit: SearchLimit,
): EntryWindows {
  const windows = generateWindows(dependencies, range, searchLimit);
  const found: Promise<IteratorResult<EntryWindow, number | null>>[] = [];
  const resultAt = (index: number) => {
    found[index] ??= windows.next();
    return found[index];
  };
  return {
    async *[Symbol.asyncIterator]() {
      for (let index = 0; ; index += 1) {
        const { done, value } = await resultAt(index);
        if (done) return;
        yield value;
      }
    },
    async findUnsearchedBeforeMs() {
      for (let index = 0; ; index += 1) {
        const { done, value } = await resultAt(index);
        if (done) return value;
      }
    },
  };
}

/** Returns the time before which it has not searched; `null` if it has searched the whole window. */
async function* generateWindows(
  dependencies: WindowDependencies,
  { query, shards, before }: PageRange,
  searchLimit: SearchLimit,
): AsyncGenerator<EntryWindow, number | null> {
  const { organizationId, window, filters } = query;
  const conditions = rowConditionsOf(filters);
  if (conditions === null) {
    yield { ...window, isLast: true };
    return null;
  }

  const nowMs = dependencies.now().getTime();
  const recent = {
    startMs: Math.max(window.startMs, startOfPeriod('hour', nowMs - recentMs)),
    endMs: before === undefined ? window.endMs : Math.min(window.endMs, endOfIdsBefore(before)),
  };
  // First, since many pages need no other entries, and no rollups.
  if (recent.startMs < recent.endMs) yield { ...recent, isLast: recent.startMs === window.startMs };
  const endMs = Math.min(recent.startMs, recent.endMs);
  if (window.startMs >= endMs) return null;

  const state = await dependencies.findRollupState(organizationId);
  const logShards = shardsOf(organizationId, shards);
  // Before the rows are read, which then include everything up to this time.
  const completeUntilMs = await findCompleteUntil(dependencies, state, logShards);
  const { oldestMs, newestMs } = await findStoredRange(dependencies, logShards);
  const countedMs = countedHoursEnd(Math.min(completeUntilMs, newestMs));
  const startMs = Math.max(window.startMs, oldestMs);
  const countedEndMs = Math.max(startMs, Math.min(endMs, countedMs));
  if (countedEndMs < endMs) yield { startMs: countedEndMs, endMs, isLast: countedEndMs === startMs };
  if (countedEndMs <= startMs || startMs >= endMs) return null;

  const { generation } = state;
  const search = { organizationId, generation, logShards: shards, conditions, searchLimit };
  const range = { startMs, endMs: countedEndMs };
  const searchedMs = yield* findMatchingHours(dependencies.rollupReader, search, range);
  return searchedMs > startMs ? searchedMs : null;
}

/** In milliseconds since 1970. */
function endOfIdsBefore(id: string): number {
  const timestampMs = timestampOfLogId(id);
  return id > firstLogIdAt(timestampMs) ? timestampMs + 1 : timestampMs;
}

/**
 * Returns the end of the hours whose entries have all been counted. Entries are written when their request has ended, so one
 * that was not written by this time may have been created a request's duration earlier.
 */
function countedHoursEnd(countedUntilMs: number): number {
  return startOfPeriod('hour', countedUntilMs - maxRequestMs - clockSkewToleranceMs);
}

interface StoredRange {
  /** When the oldest entry was created: rollup rows outlive the entries that they count. */
  oldestMs: number;
  /**
   * When the newest entry of each shard had been created. `findCompleteUntil` can overlook a longer request that was received
   * before it.
   */
  newestMs: number;
}

async function findStoredRange(
  { findOldestEntryMs, findNewestEntry }: WindowDependencies,
  logShards: readonly LogShard[],
): Promise<StoredRange> {
  const range = { oldestMs: Number.POSITIVE_INFINITY, newestMs: Number.POSITIVE_INFINITY };
  await forEachConcurrently(logShards, maxConcurrentShards, async (shard) => {
    const [oldestMs, newest] = await Promise.all([
      findOldestEntryMs(shard),
      findNewestEntry(shard, allTime.endMs),
    ]);
    if (oldestMs === null || newest === null) return;
    range.oldestMs = Math.min(range.oldestMs, oldestMs);
    range.newestMs = Math.min(range.newestMs, timestampOfLogId(newest.entry.id));
  });
  return range;
}
