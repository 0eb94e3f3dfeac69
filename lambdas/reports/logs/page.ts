/** Reads a page of log entries in the order of time, and limits the number of items scanned. */
import type { LogAccess } from '#lambdas/access/directory.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { firstLogIdAt, lastLogIdAt, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { type LogPosition, readCursor, writeCursor } from './cursor.ts';
import type { LogQuery } from './query/query.ts';
import type { LogEntryReader } from './read.ts';
import { maxScannedItems, newProgress, scanEntries } from './scan.ts';
import { createSearchLimit } from './search/hour-search.ts';
import { findEntryWindows, type WindowDependencies } from './search/windows.ts';

export interface LogPageDependencies extends WindowDependencies {
  logEntries: Pick<LogEntryReader, 'readPage'>;
}

export interface LogPage {
  entries: LogEntry[];
  /** True when another page may follow. It can be empty when the conditions match few entries. */
  hasMore: boolean;
  nextCursor: string | null;
  /**
   * The time, in milliseconds since 1970, from which on everything has been searched; `null` on the last page, and in lists
   * that begin with the oldest entry.
   */
  searchedBackToMs: number | null;
}

/** A page ends after about this many queries and rows of rollups. One that is full may read fewer to look for another. */
export const maxSearchReads = 5000;
/** A full page may scan this many items more, to find out whether another page follows. */
const maxLookahead = 1000;
const maxSearchLookahead = 200;

/** Throws a `GatewayError` (400) when the cursor does not belong to this query. */
export async function readLogPage(
  dependencies: LogPageDependencies,
  query: LogQuery,
  { shards, cursorKey }: LogAccess,
): Promise<LogPage> {
  const { limit, offset, cursor, scope, order } = query;
  const isAscending = order.direction === 'asc';
  const context = { scope, key: cursorKey };
  const position: LogPosition =
    cursor === undefined ? { after: undefined, toSkip: offset } : readCursor(cursor, context);
  const toFind = position.toSkip + limit + 1;
  const searchLimit = createSearchLimit(maxSearchReads);
  const windows = findEntryWindows(dependencies, { query, shards, after: position.after }, searchLimit);
  const progress = newProgress(toFind);
  const entries: LogEntry[] = [];
  let { after = '', toSkip } = position;
  const pageWithCursor = () => ({
    entries,
    hasMore: true,
    nextCursor: writeCursor({ after, toSkip }, context),
    searchedBackToMs: isAscending ? null : timestampOfLogId(after),
  });

  const scan = { query, shards, windows, after: position.after };
  const batches = scanEntries(dependencies.logEntries, scan, progress);
  for await (const { items, completeThrough } of batches) {
    for (const entry of items) {
      if (entries.length === limit) return pageWithCursor();
      after = entry.id;
      progress.found += 1;
      if (toSkip > 0) toSkip -= 1;
      else entries.push(entry);
    }
    if (completeThrough === null) break;
    after = completeThrough;
    const isFull = entries.length === limit;
    if (isFull) searchLimit.lowerTo(maxSearchLookahead);
    const maxScanned = isFull ? Math.min(toFind + maxLookahead, maxScannedItems) : maxScannedItems;
    if (progress.scanned >= maxScanned) return pageWithCursor();
  }
  const searchedToMs = await windows.findSearchEndMs();
  if (searchedToMs !== null) {
    after = isAscending ? lastLogIdAt(searchedToMs - 1) : firstLogIdAt(searchedToMs);
    return pageWithCursor();
  }
  return { entries, hasMore: false, nextCursor: null, searchedBackToMs: null };
}
