/** New entries of a list that is followed live. */
import type { ListedLogEntry, LogList } from '#lambdas/accounts/analytics/responses.ts';
import { maxEntryDelayMs } from '#lambdas/request-log/durations.ts';

export interface Tail {
  /** The newest first. Some may be in the list too. */
  entries: readonly ListedLogEntry[];
  /** When each entry arrived here that is in neither, in milliseconds since 1970. */
  arrivals: ReadonlyMap<string, number>;
  /** The number of entries that have arrived. */
  arrived: number;
  /** Set when more entries arrived than could be read: the list has to be loaded again. */
  hasGap: boolean;
  readAtMs: number;
}

export function emptyTail(nowMs: number): Tail {
  return { entries: [], arrivals: new Map(), arrived: 0, hasGap: false, readAtMs: nowMs };
}

/** The start of the window to read again: the entry of no earlier request can have arrived since the last read. */
export function tailStart(rangeStart: Date, readAtMs: number): Date {
  return new Date(Math.max(rangeStart.getTime(), readAtMs - maxEntryDelayMs));
}

/** Whether entries between the page and those that are known have not been read. */
export function hasGap(
  { data, has_more }: Pick<LogList, 'data' | 'has_more'>,
  newestKnownId: string | null,
): boolean {
  const oldest = data.at(-1);
  return has_more && newestKnownId !== null && oldest !== undefined && oldest.id > newestKnownId;
}

/** New arrivals are highlighted only for a moment. */
const arrivalMs = 5000;

/** @param listedIds the ids of the list that the tail is in front of */
export function addToTail(
  tail: Tail,
  newest: readonly ListedLogEntry[],
  listedIds: ReadonlySet<string>,
  nowMs: number,
): Tail {
  const knownIds = new Set(tail.entries.map(({ id }) => id));
  const isNew = ({ id }: ListedLogEntry) => !knownIds.has(id) && !listedIds.has(id);
  const arrivedIds = newest.filter(isNew).map(({ id }) => id);
  const recent = [...tail.arrivals].filter(([, atMs]) => nowMs - atMs < arrivalMs);
  return {
    entries: mergeEntries(newest, tail.entries),
    arrivals: new Map([...recent, ...arrivedIds.map((id) => [id, nowMs] as const)]),
    arrived: tail.arrived + arrivedIds.length,
    hasGap: false,
    readAtMs: nowMs,
  };
}

/**
 * Merges two lists of entries, both the newest first, by their ids, which sort by time. Of an entry in both, the first list
 * has the newer version: an interrupted request can turn out to have ended.
 */
export function mergeEntries(
  newer: readonly ListedLogEntry[],
  older: readonly ListedLogEntry[],
): readonly ListedLogEntry[] {
  if (newer.length === 0) return older;
  const merged: ListedLogEntry[] = [];
  let index = 0;
  for (const entry of newer) {
    for (let other = older[index]; other !== undefined && other.id >= entry.id; other = older[index]) {
      if (other.id !== entry.id) merged.push(other);
      index += 1;
    }
    merged.push(entry);
  }
  for (const entry of older.slice(index)) merged.push(entry);
  return merged;
}
