/** New entries of a list that is followed live. */
import type { ListedLogEntry, LogList } from '#lambdas/accounts/analytics/responses.ts';

export interface Tail {
  /** The newest first. Some may be in the list too. */
  entries: readonly ListedLogEntry[];
  /** When each entry arrived here that is in neither, in milliseconds since 1970. */
  arrivals: ReadonlyMap<string, number>;
  /** The number of entries that have arrived. */
  arrived: number;
  /** Set when more entries arrived than could be read: the list has to be loaded again. */
  hasGap: boolean;
  /** `tail` of the last response: the next one has what has been written since. */
  token: string;
}

export function emptyTail(token: string): Tail {
  return { entries: [], arrivals: new Map(), arrived: 0, hasGap: false, token };
}

/** New arrivals are highlighted only for a moment. */
const arrivalMs = 5000;

/** As many are kept; then the list starts over. */
const maxTailEntries = 5000;

/**
 * Adds the entries of a response, some of which may be known.
 *
 * @param listedIds the ids of the list that the tail is in front of
 */
export function addToTail(
  tail: Tail,
  { data: newest, has_more: hasMore, tail: token }: Pick<LogList, 'data' | 'has_more' | 'tail'>,
  listedIds: ReadonlySet<string>,
  nowMs: number,
): Tail {
  if (hasMore || token === null || tail.entries.length > maxTailEntries) return { ...tail, hasGap: true };
  const knownIds = new Set(tail.entries.map(({ id }) => id));
  const isNew = ({ id }: ListedLogEntry) => !knownIds.has(id) && !listedIds.has(id);
  const arrivedIds = newest.filter(isNew).map(({ id }) => id);
  const recent = [...tail.arrivals].filter(([, atMs]) => nowMs - atMs < arrivalMs);
  return {
    entries: mergeEntries(newest, tail.entries),
    arrivals: new Map([...recent, ...arrivedIds.map((id) => [id, nowMs] as const)]),
    arrived: tail.arrived + arrivedIds.length,
    hasGap: false,
    token,
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
