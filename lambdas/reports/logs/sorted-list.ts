/** Reads the first entries of a query in the order of a number, such as the most expensive ones, without an index. */
import type { LogAccess } from '#lambdas/access/directory.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { firstLogIdAt, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { type LogPageDependencies, maxSearchReads } from './page.ts';
import type { LogQuery } from './query/query.ts';
import { type RangeField, rangeValue } from './query/ranges.ts';
import { maxScannedItems, newProgress, scanEntries } from './scan.ts';
import { createSearchLimit } from './search/hour-search.ts';
import { findEntryWindows } from './search/windows.ts';

export interface SortedEntries {
  entries: LogEntry[];
  /** Includes entries that do not match. */
  searchedEntries: number;
  /**
   * The list has the first of the entries since this time, in milliseconds since 1970; `null` if it has the first of the whole
   * window.
   */
  searchedBackToMs: number | null;
  /** Whether more entries of that time match, or may match, than are listed. */
  hasMoreMatches: boolean;
}

export async function readSortedEntries(
  dependencies: LogPageDependencies,
  query: LogQuery,
  field: RangeField,
  { shards }: LogAccess,
): Promise<SortedEntries> {
  const ranking = createRanking(field, query);
  const searchLimit = createSearchLimit(maxSearchReads);
  const byTime: LogQuery = { ...query, order: { sort: 'created_at', direction: 'desc' } };
  const windows = findEntryWindows(dependencies, { query: byTime, shards, after: undefined }, searchLimit);
  const progress = newProgress(maxScannedItems);
  const result = (searchedBackToMs: number | null): SortedEntries => ({
    ...ranking.firstSince(searchedBackToMs ?? 0),
    searchedEntries: progress.read,
    searchedBackToMs,
  });

  const scan = { query: byTime, shards, windows, after: undefined };
  for await (const batch of scanEntries(dependencies.logEntries, scan, progress)) {
    ranking.add(batch.items);
    for (const { scanned } of batch.consumedPages) progress.scanned += scanned;
    if (batch.completeThrough === null) break;
    if (progress.scanned >= maxScannedItems) return result(firstWholeMs(batch.completeThrough));
  }
  return result(await windows.findSearchEndMs());
}

/** The first millisecond whose entries all have this id or a higher one. */
function firstWholeMs(id: string): number {
  const timestampMs = timestampOfLogId(id);
  return id > firstLogIdAt(timestampMs) ? timestampMs + 1 : timestampMs;
}

interface Ranking {
  add(entries: readonly LogEntry[]): void;
  /** The first of the added entries that are not older. */
  firstSince(startMs: number): Pick<SortedEntries, 'entries' | 'hasMoreMatches'>;
}

/** The newer one of two entries with the same value is first. */
function createRanking(field: RangeField, { limit, order }: LogQuery): Ranking {
  const sign = order.direction === 'asc' ? 1n : -1n;
  let ranked: { entry: LogEntry; rank: bigint }[] = [];
  const keep = (count: number) => {
    ranked.sort((one, other) => compareRanks(one, other));
    ranked = ranked.slice(0, count);
  };
  return {
    add(entries) {
      for (const entry of entries) {
        const value = rangeValue(entry, field);
        if (value !== null) ranked.push({ entry, rank: sign * value });
      }
    },
    firstSince(startMs) {
      ranked = ranked.filter(({ entry }) => timestampOfLogId(entry.id) >= startMs);
      const hasMoreMatches = ranked.length > limit;
      keep(limit);
      return { entries: ranked.map(({ entry }) => entry), hasMoreMatches };
    },
  };
}

function compareRanks(
  one: { entry: LogEntry; rank: bigint },
  other: { entry: LogEntry; rank: bigint },
): number {
  if (one.rank !== other.rank) return one.rank < other.rank ? -1 : 1;
  return one.entry.id < other.entry.id ? 1 : -1;
}
