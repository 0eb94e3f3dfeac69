/** Finds the hours that may have matching entries, by the rollup rows of days and then of the hours of these days. */

import { writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { countPeriods, endOfPeriod, periodLengthMs, startOfPeriod } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { CostRollupReader } from '../rollup-reader.ts';
import type { RowCondition } from './row-conditions.ts';

interface HourSearch {
  organizationId: string;
  generation: number;
  logShards: number;
  conditions: readonly RowCondition[];
  searchLimit: SearchLimit;
}

/** Limits queries and rows together. The search stops when no reads remain, but not before it has searched a day. */
export interface SearchLimit {
  consume(reads: number): void;
  /** Not positive when the limit is reached. */
  remainingReads(): number;
  /** Leaves at most this many reads. */
  lowerTo(maxReads: number): void;
}

export function createSearchLimit(maxReads: number): SearchLimit {
  let remainingReads = maxReads;
  return {
    consume(reads) {
      remainingReads -= reads;
    },
    remainingReads: () => remainingReads,
    lowerTo(max) {
      remainingReads = Math.min(remainingReads, max);
    },
  };
}

type SearchedPeriod = 'day' | 'hour';

const minChunkDays = 2;
const maxChunkDays = 64;
const maxConcurrentWindows = 8;

/**
 * Yields the matching hours in the range as windows, newest first; adjacent hours of a day are one window. Returns the time
 * from which on the range has been searched: its start, unless the limit of reads is reached.
 */
export async function* findMatchingHours(
  rollupReader: Pick<CostRollupReader, 'read'>,
  search: HourSearch,
  range: TimeWindow,
): AsyncGenerator<TimeWindow, number> {
  const { searchLimit, logShards } = search;
  const isReached = (searchedMs: number) => searchLimit.remainingReads() <= 0 && searchedMs < range.endMs;
  let searchedMs = range.endMs;
  let readsPerDay = logShards;
  for (let size = minChunkDays; searchedMs > range.startMs; size = Math.min(2 * size, maxChunkDays)) {
    const remainingReads = searchLimit.remainingReads();
    const chunkDays = Math.max(1, Math.min(size, Math.floor(remainingReads / readsPerDay)));
    const endMs = endOfPeriod('day', searchedMs - 1);
    const startMs = Math.max(endMs - chunkDays * periodLengthMs.day, startOfPeriod('day', range.startMs));
    const days = await findMatchingPeriods(rollupReader, search, 'day', { startMs, endMs });
    readsPerDay = Math.max(logShards, (remainingReads - searchLimit.remainingReads()) / chunkDays);
    for (const day of days) {
      searchedMs = Math.min(searchedMs, day.endMs);
      if (isReached(searchedMs)) return searchedMs;
      const hours = await findMatchingPeriods(
        rollupReader,
        search,
        'hour',
        wholeHours(overlapOf(day, range)),
      );
      yield* joinAdjacent(hours).map((window) => overlapOf(window, range));
    }
    searchedMs = Math.max(startMs, range.startMs);
    if (isReached(searchedMs)) return searchedMs;
  }
  return range.startMs;
}

/** Returns the periods in which all conditions are met, newest first. */
async function findMatchingPeriods(
  rollupReader: Pick<CostRollupReader, 'read'>,
  search: HourSearch,
  period: SearchedPeriod,
  window: TimeWindow,
): Promise<TimeWindow[]> {
  let periods = [window];
  for (const condition of search.conditions) {
    const starts = await findPeriods(rollupReader, search, condition, period, joinAdjacent(periods));
    periods = toPeriods(period, starts);
  }
  return periods;
}

/** Returns the starts of the periods in the windows that meet the condition. */
async function findPeriods(
  rollupReader: Pick<CostRollupReader, 'read'>,
  { organizationId, generation, logShards, searchLimit }: HourSearch,
  { dimension, value, isMet }: RowCondition,
  period: SearchedPeriod,
  windows: readonly TimeWindow[],
): Promise<Set<number>> {
  const starts = new Set<number>();
  const writeShards = writeShardCount(dimension, logShards);
  const partitions = { organizationId, generation, dimension, period, writeShards };
  await forEachConcurrently(windows, maxConcurrentWindows, async (window) => {
    const queries = value === null ? 1 : countPeriods(period, window);
    searchLimit.consume(queries * writeShards);
    for await (const row of rollupReader.read({ ...partitions, window, value })) {
      searchLimit.consume(1);
      if (isMet(row)) starts.add(row.startMs);
    }
  });
  return starts;
}

/** Newest first. */
function toPeriods(period: SearchedPeriod, starts: Iterable<number>): TimeWindow[] {
  const newestFirst = [...starts].sort((one, other) => other - one);
  return newestFirst.map((startMs) => ({ startMs, endMs: startMs + periodLengthMs[period] }));
}

/** Both newest first. */
function joinAdjacent(periods: readonly TimeWindow[]): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (const period of periods) {
    const later = windows.at(-1);
    if (later?.startMs === period.endMs) later.startMs = period.startMs;
    else windows.push({ ...period });
  }
  return windows;
}

function overlapOf(one: TimeWindow, other: TimeWindow): TimeWindow {
  return { startMs: Math.max(one.startMs, other.startMs), endMs: Math.min(one.endMs, other.endMs) };
}

function wholeHours({ startMs, endMs }: TimeWindow): TimeWindow {
  return { startMs: startOfPeriod('hour', startMs), endMs: endOfPeriod('hour', endMs - 1) };
}
