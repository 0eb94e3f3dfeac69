/**
 * The windows whose entries a page has to read: the window of the query, or only its hours that may have matching entries.
 *
 * Rollup rows tell these hours for filters without an index. Hours that the rollups may not have counted completely are
 * always read, so that no entry is missing.
 */

import { findCompleteUntil } from '#lambdas/costs/completeness.ts';
import type { RollupState } from '#lambdas/costs/rollups/state.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { hourMs } from '#lambdas/platform/duration.ts';
import { type Period, startOfPeriod } from '#lambdas/platform/period.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import type { ReportDependencies } from '#lambdas/reports/dependencies.ts';
import { clockSkewToleranceMs, maxRequestMs } from '#lambdas/request-log/durations.ts';
import { endOfIdsBefore, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { type LogShard, shardsOf } from '#lambdas/request-log/table/scan.ts';
import type { LogQuery } from '../query/query.ts';
import { findMatchingHours, type HourSearch, type SearchLimit } from './hour-search.ts';
import { rowConditionsOf } from './row-conditions.ts';

export interface WindowDependencies extends Omit<ReportDependencies, 'rollupReader'> {
  rollupReader: Pick<ReportDependencies['rollupReader'], 'read'>;
  /** In milliseconds since 1970; `null` without entries. */
  findOldestEntryMs(shard: LogShard): Promise<number | null>;
}

export interface EntryWindow extends TimeWindow {
  /** Set if it is known that no window follows. */
  isLast?: boolean;
}

/**
 * Windows that do not overlap, in the order of the query. They are found when an iteration first requests them; further
 * iterations share them.
 */
interface EntryWindows extends AsyncIterable<EntryWindow> {
  /**
   * Resolves, when all windows have been found, to the time up to which entries were searched in the order of the query, because
   * the limit of reads was reached; to `null` if all were.
   */
  findSearchEndMs(): Promise<number | null>;
}

interface PageRange {
  query: LogQuery;
  shards: number;
  /** The page contains entries that follow this id in the order of the query; `undefined` to start at the first. */
  after: string | undefined;
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
    async findSearchEndMs() {
      for (let index = 0; ; index += 1) {
        const { done, value } = await resultAt(index);
        if (done) return value;
      }
    },
  };
}

/** Returns the time up to which it has searched; `null` if it has searched the whole window. */
async function* generateWindows(
  dependencies: WindowDependencies,
  range: PageRange,
  searchLimit: SearchLimit,
): AsyncGenerator<EntryWindow, number | null> {
  const conditions = rowConditionsOf(range.query);
  if (conditions === null) {
    yield { ...range.query.window, isLast: true };
    return null;
  }
  const search = { conditions, searchLimit };
  return range.query.order.direction === 'asc'
    ? yield* windowsOldestFirst(dependencies, range, search)
    : yield* windowsNewestFirst(dependencies, range, search);
}

type SearchOptions = Pick<HourSearch, 'conditions' | 'searchLimit'>;

async function* windowsNewestFirst(
  dependencies: WindowDependencies,
  { query: { organizationId, window }, shards, after }: PageRange,
  options: SearchOptions,
): AsyncGenerator<EntryWindow, number | null> {
  const nowMs = dependencies.now().getTime();
  const recent = {
    startMs: Math.max(window.startMs, startOfPeriod('hour', nowMs - recentMs)),
    endMs: after === undefined ? window.endMs : Math.min(window.endMs, endOfIdsBefore(after)),
  };
  // First, since many pages need no other entries, and no rollups.
  if (recent.startMs < recent.endMs) yield { ...recent, isLast: recent.startMs === window.startMs };
  const endMs = Math.min(recent.startMs, recent.endMs);
  if (window.startMs >= endMs) return null;

  const { state, oldestMs, countedMs } = await findCountedRange(dependencies, organizationId, shards);
  const startMs = Math.max(window.startMs, oldestMs);
  const countedEndMs = Math.max(startMs, Math.min(endMs, countedPeriodsEnd('hour', countedMs)));
  if (countedEndMs < endMs) yield { startMs: countedEndMs, endMs, isLast: countedEndMs === startMs };
  if (countedEndMs <= startMs || startMs >= endMs) return null;

  const search: HourSearch = { ...options, ...state, organizationId, logShards: shards, order: 'desc' };
  const range = { startMs, endMs: countedEndMs };
  const searchedMs = yield* findMatchingHours(dependencies.rollupReader, search, range);
  return searchedMs > startMs ? searchedMs : null;
}

async function* windowsOldestFirst(
  dependencies: WindowDependencies,
  { query: { organizationId, window }, shards, after }: PageRange,
  options: SearchOptions,
): AsyncGenerator<EntryWindow, number | null> {
  const { state, oldestMs, countedMs } = await findCountedRange(dependencies, organizationId, shards);
  const afterMs = after === undefined ? 0 : timestampOfLogId(after);
  const startMs = Math.max(window.startMs, oldestMs, afterMs);
  const countedEndMs = Math.min(window.endMs, countedPeriodsEnd('hour', countedMs));
  if (startMs < countedEndMs) {
    const search: HourSearch = { ...options, ...state, organizationId, logShards: shards, order: 'asc' };
    const range = { startMs, endMs: countedEndMs };
    const searchedMs = yield* findMatchingHours(dependencies.rollupReader, search, range);
    if (searchedMs < countedEndMs) return searchedMs;
  }
  const uncountedMs = Math.max(startMs, countedEndMs);
  if (uncountedMs < window.endMs) yield { startMs: uncountedMs, endMs: window.endMs, isLast: true };
  return null;
}

/**
 * Returns the end of the periods whose entries have all been counted. Entries are written when their request has ended, so one
 * that was not written by this time may have been created a request's duration earlier.
 */
export function countedPeriodsEnd(period: Period, countedUntilMs: number): number {
  return startOfPeriod(period, countedUntilMs - maxRequestMs - clockSkewToleranceMs);
}

interface CountedRange {
  state: RollupState;
  /** As in `StoredRange`. */
  oldestMs: number;
  /** Entries that were written before this time have been counted. */
  countedMs: number;
}

export async function findCountedRange(
  dependencies: WindowDependencies,
  organizationId: string,
  shards: number,
): Promise<CountedRange> {
  const state = await dependencies.findRollupState(organizationId);
  const logShards = shardsOf(organizationId, shards);
  // Before the rows are read, which then include everything up to this time.
  const completeUntilMs = await findCompleteUntil(dependencies, state, logShards);
  const { oldestMs, newestMs } = await findStoredRange(dependencies, logShards);
  return { state, oldestMs, countedMs: Math.min(completeUntilMs, newestMs) };
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
