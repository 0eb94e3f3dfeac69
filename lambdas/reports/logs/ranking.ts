/** Collects entries, and returns the first of them in the order of a number. */
import { descending } from '#lambdas/platform/merge-sorted.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { lastLogIdAt, timestampOfLogId } from '#lambdas/request-log/id.ts';
import type { LogQuery } from './query/query.ts';
import { type RangeField, rangeValue } from './query/ranges.ts';

export interface RankedEntries {
  entries: LogEntry[];
  /** Whether more have been added than are listed. */
  hasMoreMatches: boolean;
}

export interface Ranking {
  /** Entries can be added again. */
  add(entries: readonly LogEntry[]): void;
  /** The added entries that are not older. */
  firstSince(startMs: number): RankedEntries;
  /** The added entries that have a higher value, in the units of `rangeValue`. */
  firstAbove(value: bigint): RankedEntries;
  /** In descending order: whether an entry of the window with at most this value would be one of the first. */
  canImprove(highest: bigint, window: TimeWindow): boolean;
}

interface RankedEntry {
  entry: LogEntry;
  value: bigint;
}

/** The last millisecond of a search may be dropped again, and no organization has more entries in one. */
const maxEntriesInMs = 1000;

/** The newer one of two entries with the same value is first. */
export function createRanking(field: RangeField, { limit, order }: LogQuery): Ranking {
  const maxKept = limit + maxEntriesInMs;
  const ranked = new Map<string, RankedEntry>();
  const sign = order.direction === 'asc' ? 1 : -1;
  const inOrder = () =>
    [...ranked.values()].sort((one, other) => sign * compareValues(one, other) || compareNewest(one, other));
  let last: RankedEntry | undefined;
  const firstOf = (matching: (entry: RankedEntry) => boolean): RankedEntries => {
    const first = inOrder().filter(matching);
    return {
      entries: first.slice(0, limit).map(({ entry }) => entry),
      hasMoreMatches: first.length > limit,
    };
  };
  return {
    add(entries) {
      for (const entry of entries) {
        const value = rangeValue(entry, field);
        if (value !== null) ranked.set(entry.id, { entry, value });
      }
      if (ranked.size > 2 * maxKept) {
        for (const { entry } of inOrder().slice(maxKept)) ranked.delete(entry.id);
      }
      last = undefined;
    },
    firstSince: (startMs) => firstOf(({ entry }) => timestampOfLogId(entry.id) >= startMs),
    firstAbove: (bound) => firstOf(({ value }) => value > bound),
    canImprove(highest, { endMs }) {
      last ??= inOrder()[limit - 1];
      if (last === undefined || highest > last.value) return true;
      return highest === last.value && lastLogIdAt(endMs - 1) > last.entry.id;
    },
  };
}

function compareValues({ value: one }: RankedEntry, { value: other }: RankedEntry): number {
  return one < other ? -1 : Number(one > other);
}

function compareNewest({ entry: one }: RankedEntry, { entry: other }: RankedEntry): number {
  return descending(one.id, other.id);
}
