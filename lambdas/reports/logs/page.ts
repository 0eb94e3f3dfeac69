/** Reads a page of log entries: merges the entries of each shard and filter, and limits the number of items scanned. */

import type { Directory, LogAccess } from '#lambdas/access/directory.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import { descending, mergeSorted, type SortedPage } from '#lambdas/platform/merge-sorted.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { firstLogIdAt, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { type LogPosition, readCursor, writeCursor } from './cursor.ts';
import { createSearchLimit } from './hour-search.ts';
import { type LogQuery, parseLogQuery } from './query.ts';
import type { LogEntryRange, LogEntryReader } from './read.ts';
import { type EntryWindows, findEntryWindows, type WindowDependencies } from './windows.ts';

interface LogPageDependencies extends WindowDependencies {
  logEntries: Pick<LogEntryReader, 'readPage'>;
}

export interface LogPage {
  entries: LogEntry[];
  /** True when another page may follow. It can be empty when the conditions match few entries. */
  hasMore: boolean;
  nextCursor: string | null;
  /** The time, in milliseconds since 1970, from which on everything has been searched; `null` on the last page. */
  searchedBackToMs: number | null;
}

/** A page ends after this many scanned items, full or not. Higher than the maximum offset and limit together. */
export const maxScannedItems = 12_000;
/** A page ends after about this many queries and rows of rollups. One that is full may read fewer to look for another. */
const maxSearchReads = 5000;
/** A full page may scan this many items more, to find out whether another page follows. */
const maxLookahead = 1000;
const maxSearchLookahead = 200;
/** The maximum limit, plus the entry that shows that another page follows; about as much as DynamoDB reads per call. */
const maxReadSize = 1001;
/** A smaller read would cost the same, since read units are charged per 4 kB. */
const minReadSize = 4;

interface Progress {
  /** The entries to skip, the entries of the page, and one entry that shows that another page follows. */
  toFind: number;
  found: number;
  scanned: number;
  /** The filtered shards that have not been read to their end. */
  openShards: number;
}

const newestFirst = { keyOf: ({ id }: LogEntry) => id, compare: descending };

/** Throws a `GatewayError` (400) when the cursor does not belong to this query. */
export async function readLogPage(
  dependencies: LogPageDependencies,
  query: LogQuery,
  { shards, cursorKey }: LogAccess,
): Promise<LogPage> {
  const { limit, offset, cursor, scope } = query;
  const context = { scope, key: cursorKey };
  const position: LogPosition =
    cursor === undefined ? { before: undefined, toSkip: offset } : readCursor(cursor, context);
  const toFind = position.toSkip + limit + 1;
  const filteredShards = filteredShardsOf(query, shards);
  const searchLimit = createSearchLimit(maxSearchReads);
  const windows = findEntryWindows(dependencies, { query, shards, before: position.before }, searchLimit);
  const progress: Progress = { toFind, found: 0, scanned: 0, openShards: filteredShards.length };
  const entries: LogEntry[] = [];
  let { before = '', toSkip } = position;
  const pageWithCursor = () => ({
    entries,
    hasMore: true,
    nextCursor: writeCursor({ before, toSkip }, context),
    searchedBackToMs: timestampOfLogId(before),
  });

  const sequences = filteredShards.map((filteredShard) =>
    readWindows(dependencies.logEntries, { filteredShard, windows, before: position.before }, progress),
  );
  for await (const { items, completeThrough, consumedPages } of mergeSorted(sequences, newestFirst)) {
    for (const entry of items) {
      if (entries.length === limit) return pageWithCursor();
      before = entry.id;
      progress.found += 1;
      if (toSkip > 0) toSkip -= 1;
      else entries.push(entry);
    }
    if (completeThrough === null) break;
    before = completeThrough;
    for (const { scanned } of consumedPages) progress.scanned += scanned;
    const isFull = entries.length === limit;
    if (isFull) searchLimit.lowerTo(maxSearchLookahead);
    const maxScanned = isFull ? Math.min(toFind + maxLookahead, maxScannedItems) : maxScannedItems;
    if (progress.scanned >= maxScanned) return pageWithCursor();
  }
  const unsearchedBeforeMs = await windows.findUnsearchedBeforeMs();
  if (unsearchedBeforeMs !== null) {
    before = firstLogIdAt(unsearchedBeforeMs);
    return pageWithCursor();
  }
  return { entries, hasMore: false, nextCursor: null, searchedBackToMs: null };
}

/** The entries of a shard that match one filter. */
type FilteredShard = Omit<LogEntryRange, 'window'>;

function filteredShardsOf({ organizationId, filters }: LogQuery, shards: number): FilteredShard[] {
  return Array.from({ length: shards }, (_, shard) =>
    filters.map((filter) => ({ organizationId, shard, filter })),
  ).flat();
}

interface ShardPage extends SortedPage<LogEntry> {
  scanned: number;
}

interface WindowsToRead {
  filteredShard: FilteredShard;
  windows: EntryWindows;
  before: string | undefined;
}

async function* readWindows(
  reader: Pick<LogEntryReader, 'readPage'>,
  { filteredShard, windows, before }: WindowsToRead,
  progress: Progress,
): AsyncGenerator<ShardPage> {
  for await (const window of windows) {
    const readThrough = window.isLast ? null : firstLogIdAt(window.startMs);
    for (let lastEvaluatedId: string | null | undefined = before; lastEvaluatedId !== null; ) {
      const page = await reader.readPage(
        { ...filteredShard, window },
        lastEvaluatedId,
        nextReadSize(progress),
      );
      lastEvaluatedId = page.lastEvaluatedId;
      yield {
        items: page.entries,
        completeThrough: lastEvaluatedId ?? readThrough,
        scanned: page.scannedCount,
      };
    }
    if (window.isLast) {
      // Not after the loop: the shards that read next, before its iterator has closed, need the new number.
      progress.openShards -= 1;
      return;
    }
  }
  progress.openShards -= 1;
}

/**
 * Returns an equal share of the entries still to find, multiplied by the items scanned per entry so far. Entries are
 * distributed randomly over shards; twice the standard deviation is added, so that one read is nearly always enough.
 */
function nextReadSize({ toFind, found, scanned, openShards }: Progress): number {
  const itemsPerEntry = Math.max(1, scanned / Math.max(1, found));
  const share = ((toFind - found) * itemsPerEntry) / openShards;
  const margin = 2 * Math.sqrt(share * (1 - 1 / openShards));
  const maxSize = Math.ceil((maxScannedItems - scanned) / openShards);
  return Math.min(Math.max(Math.ceil(share + margin), minReadSize), maxSize, maxReadSize);
}

export interface LogListDependencies extends LogPageDependencies {
  logAccessOf: Directory['logAccessOf'];
}

/** Throws a `GatewayError` (400) that names the parameter. */
export async function readLogList<List extends object>(
  dependencies: LogListDependencies,
  organizationId: string,
  parameters: RawQueryParameters,
  toList: (page: LogPage, query: LogQuery) => List,
): Promise<List> {
  const query = parseLogQuery(organizationId, parameters);
  const page = await readLogPage(dependencies, query, await dependencies.logAccessOf(organizationId));
  const list = toList(page, query);
  if (responseBytes(list) > maxResponseBytes) {
    throw invalidRequestError('limit', 'The response would exceed 6 MB: lower limit');
  }
  return list;
}
