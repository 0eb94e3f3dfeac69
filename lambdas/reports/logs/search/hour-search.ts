/** Finds the hours that may have matching entries, by the rollup rows of days and then of the hours of these days. */

import { writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { countPeriods, endOfPeriod, periodLengthMs, startOfPeriod } from '#lambdas/platform/period.ts';
import { overlapOf, type TimeWindow } from '#lambdas/platform/time-window.ts';
import type { CostRollupReader } from '#lambdas/reports/rollup-reader.ts';
import type { ListOrder } from '../query/order.ts';
import type { RowCondition } from './row-conditions.ts';

export interface HourSearch {
  organizationId: string;
  generation: number;
  logShards: number;
  /** `desc` for the newest hours first. */
  order: ListOrder['direction'];
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
 * Yields the matching hours in the range as windows, in order; adjacent hours of a day are one window. Returns the time up to
 * which the range has been searched in this order: its last bound, unless the limit of reads is reached.
 */
export async function* findMatchingHours(
  rollupReader: Pick<CostRollupReader, 'read'>,
  search: HourSearch,
  range: TimeWindow,
): AsyncGenerator<TimeWindow, number> {
  const { searchLimit, logShards, order } = search;
  const isAscending = order === 'asc';
  const [firstMs, lastMs] = isAscending ? [range.startMs, range.endMs] : [range.endMs, range.startMs];
  const isReached = (searchedMs: number) => searchLimit.remainingReads() <= 0 && searchedMs !== firstMs;
  let searchedMs = firstMs;
  let readsPerDay = logShards;
  for (let size = minChunkDays; searchedMs !== lastMs; size = Math.min(2 * size, maxChunkDays)) {
    const remainingReads = searchLimit.remainingReads();
    const chunkDays = Math.max(1, Math.min(size, Math.floor(remainingReads / readsPerDay)));
    const chunk = chunkAt(searchedMs, chunkDays, range, order);
    const days = await findMatchingPeriods(rollupReader, search, 'day', chunk);
    readsPerDay = Math.max(logShards, (remainingReads - searchLimit.remainingReads()) / chunkDays);
    for (const day of days) {
      const inRange = overlapOf(day, range);
      const dayMs = isAscending ? inRange.startMs : inRange.endMs;
      if (dayMs > searchedMs === isAscending) searchedMs = dayMs;
      if (isReached(searchedMs)) return searchedMs;
      const hours = await findMatchingPeriods(rollupReader, search, 'hour', wholeHours(inRange));
      yield* joinAdjacent(hours).map((window) => overlapOf(window, range));
    }
    const searched = overlapOf(chunk, range);
    searchedMs = isAscending ? searched.endMs : searched.startMs;
    if (isReached(searchedMs)) return searchedMs;
  }
  return lastMs;
}

/** The next days of the range. */
function chunkAt(
  searchedMs: number,
  chunkDays: number,
  range: TimeWindow,
  order: HourSearch['order'],
): TimeWindow {
  if (order === 'asc') {
    const startMs = startOfPeriod('day', searchedMs);
    const lastMs = endOfPeriod('day', range.endMs - 1);
    return { startMs, endMs: Math.min(startMs + chunkDays * periodLengthMs.day, lastMs) };
  }
  const endMs = endOfPeriod('day', searchedMs - 1);
  const firstMs = startOfPeriod('day', range.startMs);
  return { startMs: Math.max(endMs - chunkDays * periodLengthMs.day, firstMs), endMs };
}

/** Returns the periods in which all conditions are met, in order. */
async function findMatchingPeriods(
  rollupReader: Pick<CostRollupReader, 'read'>,
  search: HourSearch,
  period: SearchedPeriod,
  window: TimeWindow,
): Promise<TimeWindow[]> {
  let periods = [window];
  for (const condition of search.conditions) {
    const starts = await findPeriods(rollupReader, search, condition, period, joinAdjacent(periods));
    periods = toPeriods(period, starts, search.order);
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

function toPeriods(
  period: SearchedPeriod,
  starts: Iterable<number>,
  order: HourSearch['order'],
): TimeWindow[] {
  const sign = order === 'asc' ? 1 : -1;
  const inOrder = [...starts].sort((one, other) => sign * (one - other));
  return inOrder.map((startMs) => ({ startMs, endMs: startMs + periodLengthMs[period] }));
}

/** Both in the same order, whichever. */
function joinAdjacent(periods: readonly TimeWindow[]): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (const period of periods) {
    const previous = windows.at(-1);
    if (previous?.startMs === period.endMs) previous.startMs = period.startMs;
    else if (previous?.endMs === period.startMs) previous.endMs = period.endMs;
    else windows.push({ ...period });
  }
  return windows;
}

function wholeHours({ startMs, endMs }: TimeWindow): TimeWindow {
  return { startMs: startOfPeriod('hour', startMs), endMs: endOfPeriod('hour', endMs - 1) };
}
