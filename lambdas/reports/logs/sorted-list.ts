/**
 * Reads the first entries of a query in the order of a number, such as the most expensive ones, without an index.
 *
 * With the highest first, rollup rows show where to look: see `highest-first.ts`. Otherwise, and if that does not get to an end,
 * it reads from the newest entry on, and says how far it came.
 */
import type { LogAccess } from '#lambdas/access/directory.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { endOfIdsBefore } from '#lambdas/request-log/id.ts';
import { type LogPageDependencies, maxSearchReads } from './page.ts';
import type { LogQuery } from './query/query.ts';
import type { RangeField } from './query/ranges.ts';
import { createRanking, type RankedEntries, type Ranking } from './ranking.ts';
import { filteredShardsOf, maxScannedItems, newProgress, type ScanProgress, scanEntries } from './scan.ts';
import { searchHighestFirst } from './search/highest-first.ts';
import { createSearchLimit, type SearchLimit } from './search/hour-search.ts';
import { rankingCondition, rowConditionsOf } from './search/row-conditions.ts';
import { countedPeriodsEnd, findCountedRange, findEntryWindows } from './search/windows.ts';

export interface SortedEntries {
  entries: LogEntry[];
  /** Includes entries that do not match. */
  searchedEntries: number;
  /**
   * The list has the first of the entries since this time, in milliseconds since 1970; `null` if it has the first of the whole
   * window, be they fewer than the limit.
   */
  searchedBackToMs: number | null;
  /** Whether more entries of that time match, or may match, than are listed. */
  hasMoreMatches: boolean;
}

interface SortedSearch {
  /** By time, the newest first. */
  query: LogQuery;
  field: RangeField;
  shards: number;
  ranking: Ranking;
  progress: ScanProgress;
  searchLimit: SearchLimit;
}

/** The search for the highest values leaves the rest for the newest entries, in case it finds none. */
const maxItemsByValue = 9000;
const minItemsLeft = maxScannedItems - maxItemsByValue;
const minReadsLeft = 1500;
/** As much as a period that is read at once usually has. */
const valueReadSize = 1000;

export async function readSortedEntries(
  dependencies: LogPageDependencies,
  query: LogQuery,
  field: RangeField,
  { shards }: LogAccess,
): Promise<SortedEntries> {
  const search: SortedSearch = {
    query: { ...query, order: { sort: 'created_at', direction: 'desc' } },
    field,
    shards,
    ranking: createRanking(field, query),
    progress: newProgress(maxScannedItems),
    searchLimit: createSearchLimit(maxSearchReads),
  };
  const found = query.order.direction === 'desc' ? await readHighest(dependencies, search) : null;
  if (found !== null) return { ...found, searchedEntries: search.progress.read };
  const searchedBackToMs = await scanNewest(dependencies, search, query.window);
  const first = search.ranking.firstSince(searchedBackToMs ?? 0);
  return { ...first, searchedEntries: search.progress.read, searchedBackToMs };
}

/** Returns the time up to which it has read; `null` if it has read the whole window. */
async function scanNewest(
  dependencies: LogPageDependencies,
  { query, shards, ranking, progress, searchLimit }: SortedSearch,
  window: TimeWindow,
): Promise<number | null> {
  const inWindow = { ...query, window };
  const windows = findEntryWindows(dependencies, { query: inWindow, shards, after: undefined }, searchLimit);
  const scan = { query: inWindow, shards, windows, after: undefined };
  const maxScanned = Math.max(maxScannedItems, progress.scanned + minItemsLeft);
  for await (const batch of scanEntries(dependencies.logEntries, scan, progress)) {
    ranking.add(batch.items);
    if (batch.completeThrough === null) break;
    // The entries of its last millisecond may have been read only in part.
    if (progress.scanned >= maxScanned) return endOfIdsBefore(batch.completeThrough);
  }
  return windows.findSearchEndMs();
}

type Found = RankedEntries & Pick<SortedEntries, 'searchedBackToMs'>;

/** Returns `null` if rows do not tell where the highest values are; everything from the newest entry on is then to be read. */
async function readHighest(dependencies: LogPageDependencies, search: SortedSearch): Promise<Found | null> {
  const { query, field, shards, ranking, progress, searchLimit } = search;
  const { organizationId, window } = query;
  const condition = rankingCondition(query, field);
  if (condition === null) return null;
  const { state, oldestMs, countedMs } = await findCountedRange(dependencies, organizationId, shards);
  const startMs = Math.max(window.startMs, oldestMs);
  const endMs = Math.min(window.endMs, countedPeriodsEnd('minute', countedMs));
  if (startMs >= endMs) return null;

  // Requests that may not have been counted.
  const searchedBackToMs = await scanNewest(dependencies, search, { ...window, startMs: endMs });
  if (searchedBackToMs !== null) return { ...ranking.firstSince(searchedBackToMs), searchedBackToMs };

  const { scanned: scannedBefore } = progress;
  const readsLeft = rowConditionsOf(query) === null ? 0 : minReadsLeft;
  const { isComplete, unreadHighest } = await searchHighestFirst(
    dependencies.rollupReader,
    {
      ...state,
      organizationId,
      logShards: shards,
      condition,
      field,
      searchLimit,
      range: { startMs, endMs },
    },
    {
      canHave: (highest, period) => ranking.canImprove(highest, period),
      read: (period) => readPeriod(dependencies, search, period),
      mayReadMore: (requests = Number.POSITIVE_INFINITY) => {
        // All of them can be read.
        const areFew = requests <= maxScannedItems - scannedBefore;
        const maxItems = areFew ? maxScannedItems : maxItemsByValue;
        return progress.scanned < maxItems && searchLimit.remainingReads() > readsLeft;
      },
    },
  );
  if (isComplete) {
    const first = ranking.firstSince(0);
    return {
      ...first,
      hasMoreMatches: first.hasMoreMatches || unreadHighest !== null,
      searchedBackToMs: null,
    };
  }
  const certain = unreadHighest === null ? null : ranking.firstAbove(unreadHighest);
  if (certain === null || certain.entries.length === 0) {
    const backToMs = await scanNewest(dependencies, search, { startMs, endMs });
    return { ...ranking.firstSince(backToMs ?? 0), searchedBackToMs: backToMs };
  }
  return { ...certain, hasMoreMatches: true, searchedBackToMs: null };
}

/** Resolves to whether it has read the whole period. */
async function readPeriod(
  { logEntries }: LogPageDependencies,
  { query, shards, ranking, progress }: SortedSearch,
  window: TimeWindow,
): Promise<boolean> {
  const areRead = filteredShardsOf(query, shards).map(async (shard) => {
    for (let after: string | null | undefined; after !== null; ) {
      if (after !== undefined && progress.scanned >= maxScannedItems) return false;
      const page = await logEntries.readPage({ ...shard, window }, after, valueReadSize);
      ranking.add(page.entries);
      progress.scanned += page.scannedCount;
      progress.read += page.scannedCount;
      after = page.lastEvaluatedId;
    }
    return true;
  });
  return (await Promise.all(areRead)).every(Boolean);
}
