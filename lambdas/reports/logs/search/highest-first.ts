/**
 * Visits the periods of a window in the order of the highest values that their entries can have, so that the entries with the
 * highest values are known after reading a small part of the window.
 *
 * Rollup rows give the bound of each period. The search starts with days, splits those that come first into hours and these into
 * minutes, and reads the entries of a period that cannot be split, or that has few. It is complete when no other period can have
 * an entry that belongs to the list.
 */
import { writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import {
  countPeriods,
  endOfPeriod,
  type Period,
  periodLengthMs,
  startOfPeriod,
} from '#lambdas/platform/period.ts';
import { overlapOf, type TimeWindow } from '#lambdas/platform/time-window.ts';
import type { CostRollupReader } from '#lambdas/reports/rollup-reader.ts';
import type { RangeField } from '../query/ranges.ts';
import type { SearchLimit } from './hour-search.ts';
import { maxValueOf } from './max-values.ts';
import type { RowCondition } from './row-conditions.ts';

interface HighestSearch {
  organizationId: string;
  generation: number;
  logShards: number;
  condition: RowCondition;
  field: RangeField;
  searchLimit: SearchLimit;
  /** All its entries have been counted. */
  range: TimeWindow;
}

/** The list that the search fills, and how it reads entries. */
interface EntrySearch {
  /** Whether an entry of the period with this value would belong to the list. */
  canHave(highest: bigint, period: TimeWindow): boolean;
  /** Finds the matching entries of the window. Resolves to whether it has read all of it. */
  read(window: TimeWindow): Promise<boolean>;
  /** Whether more rows and entries may be read; the range has this many requests at most, if that is known. */
  mayReadMore(requests?: number): boolean;
}

interface SearchResult {
  isComplete: boolean;
  /** The highest value in periods that have not been read; `null` if all have. */
  unreadHighest: bigint | null;
}

type SplitPeriod = Exclude<Period, 'month'>;

interface RankedPeriod extends TimeWindow {
  period: SplitPeriod;
  /** In the units of `rangeValue`. */
  highest: bigint;
  /** With their attempts: the entries. */
  requests: number;
  rows: number;
}

/** A period is split if it has this many times as many requests as there are rows of smaller periods. */
const minRequestsPerRow = 2;
const maxConcurrentPeriods = 4;
const daysPerRead = 16;

export async function searchHighestFirst(
  rollupReader: Pick<CostRollupReader, 'read'>,
  search: HighestSearch,
  entries: EntrySearch,
): Promise<SearchResult> {
  const { range } = search;
  const queue: RankedPeriod[] = [];
  const rangeEndMs = endOfPeriod('day', range.endMs - 1);
  for (let startMs = startOfPeriod('day', range.startMs); startMs < rangeEndMs; ) {
    // Periods that are not known may have anything.
    if (!entries.mayReadMore()) return { isComplete: false, unreadHighest: null };
    const endMs = Math.min(startMs + daysPerRead * periodLengthMs.day, rangeEndMs);
    queue.push(...(await readPeriods(rollupReader, search, 'day', { startMs, endMs })));
    startMs = endMs;
  }
  const requests = queue.reduce((sum, ranked) => sum + ranked.requests, 0);
  for (;;) {
    queue.sort(compareRanked);
    const [first] = queue;
    if (first === undefined) return { isComplete: true, unreadHighest: null };
    const { highest } = first;
    if (!entries.canHave(highest, first)) return { isComplete: true, unreadHighest: highest };
    if (!entries.mayReadMore(requests)) return { isComplete: false, unreadHighest: highest };
    const next = queue.splice(0, countAffordable(search, queue.slice(0, maxConcurrentPeriods)));
    await forEachConcurrently(next, maxConcurrentPeriods, async (ranked) => {
      const smaller = smallerPeriod(search, ranked);
      if (smaller === null) {
        const isRead = await entries.read(overlapOf(ranked, range));
        // The limit is reached, and the search ends.
        if (!isRead) queue.push(ranked);
      } else queue.push(...(await readPeriods(rollupReader, search, smaller, ranked)));
    });
  }
}

/** The highest first, then the newest. */
function compareRanked(one: RankedPeriod, other: RankedPeriod): number {
  if (one.highest !== other.highest) return one.highest > other.highest ? -1 : 1;
  return other.endMs - one.endMs;
}

/** The number of periods, at least one, whose rows the limit of reads allows to read at the same time. */
function countAffordable(search: HighestSearch, periods: readonly RankedPeriod[]): number {
  let remainingReads = search.searchLimit.remainingReads();
  const count = periods.findIndex((ranked) => {
    const smaller = smallerPeriod(search, ranked);
    if (smaller !== null) remainingReads -= maxRows(ranked, smaller);
    return remainingReads < 0;
  });
  return count === -1 ? periods.length : Math.max(1, count);
}

/** `null` for periods that are not split: those of few requests, and hours of a key, since rows by key do not exist by the minute. */
function smallerPeriod({ condition }: HighestSearch, ranked: RankedPeriod): SplitPeriod | null {
  const { period, requests } = ranked;
  if (period === 'minute' || (period === 'hour' && condition.value !== null)) return null;
  const smaller = period === 'day' ? 'hour' : 'minute';
  return requests > minRequestsPerRow * maxRows(ranked, smaller) ? smaller : null;
}

function maxRows(ranked: RankedPeriod, smaller: SplitPeriod): number {
  return Math.min(ranked.requests, ranked.rows * countPeriods(smaller, ranked));
}

async function readPeriods(
  rollupReader: Pick<CostRollupReader, 'read'>,
  { organizationId, generation, logShards, condition, field, searchLimit, range }: HighestSearch,
  period: SplitPeriod,
  window: TimeWindow,
): Promise<RankedPeriod[]> {
  const { dimension, value, isMet } = condition;
  const writeShards = writeShardCount(dimension, logShards);
  searchLimit.consume((value === null ? 1 : countPeriods(period, window)) * writeShards);
  const periods = new Map<number, RankedPeriod>();
  const rows = rollupReader.read({
    organizationId,
    generation,
    dimension,
    period,
    writeShards,
    window,
    value,
  });
  for await (const row of rows) {
    searchLimit.consume(1);
    const { startMs } = row;
    const endMs = startMs + periodLengthMs[period];
    if (!isMet(row) || endMs <= range.startMs || startMs >= range.endMs) continue;
    const highest = maxValueOf(row, dimension, field) ?? 0n;
    const known = periods.get(startMs) ?? { period, startMs, endMs, highest, requests: 0, rows: 0 };
    if (highest > known.highest) known.highest = highest;
    known.requests += row.totals.requests + row.totals.fallback_attempts;
    known.rows += 1;
    periods.set(startMs, known);
  }
  return [...periods.values()];
}
