/** Reads the entries of a query in the order of time: merges the entries of each shard and filter, window by window. */
import { ascending, descending, mergeSorted, type SortedPage } from '#lambdas/platform/merge-sorted.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { firstLogIdAt, lastLogIdAt } from '#lambdas/request-log/id.ts';
import type { LogQuery } from './query/query.ts';
import type { LogEntryRange, LogEntryReader } from './read.ts';
import type { EntryWindow } from './search/windows.ts';

/** A page ends after this many scanned items, full or not. Higher than the maximum offset and limit together. */
export const maxScannedItems = 12_000;
/** The maximum limit, plus the entry that shows that another page follows; about as much as DynamoDB reads per call. */
const maxReadSize = 1001;
/** A smaller read would cost the same, since read units are charged per 4 kB. */
const minReadSize = 4;

export interface ScanProgress {
  /** The number of entries that the reads aim at. */
  toFind: number;
  found: number;
  /** In the pages of the batches that have been yielded. */
  scanned: number;
  /** In all pages that have been read. */
  read: number;
  /** The filtered shards that have not been read to their end. */
  openShards: number;
}

interface Scan {
  query: LogQuery;
  shards: number;
  /** Can be iterated several times. */
  windows: AsyncIterable<EntryWindow>;
  /** The id that the scan follows; `undefined` to start at the first entry. */
  after: string | undefined;
}

/** At the start of a scan that aims at this many entries. */
export function newProgress(toFind: number): ScanProgress {
  return { toFind, found: 0, scanned: 0, read: 0, openShards: 0 };
}

/** Yields matching entries in batches. The consumer counts what it has found: the sizes of reads depend on it. */
export async function* scanEntries(
  reader: Pick<LogEntryReader, 'readPage'>,
  scan: Scan,
  progress: ScanProgress,
) {
  const { order } = scan.query;
  const filteredShards = filteredShardsOf(scan.query, scan.shards);
  progress.openShards = filteredShards.length;
  const runs = filteredShards.map((shard) => readWindows(reader, shard, scan, progress));
  const compare = order.direction === 'asc' ? ascending : descending;
  for await (const batch of mergeSorted(runs, { keyOf: ({ id }: LogEntry) => id, compare })) {
    for (const { scanned } of batch.consumedPages) progress.scanned += scanned;
    yield batch;
  }
}

/** The entries of a shard that match one filter. */
type FilteredShard = Omit<LogEntryRange, 'window'>;

export function filteredShardsOf(
  { organizationId, filters, bounds, order: { direction } }: LogQuery,
  shards: number,
): FilteredShard[] {
  return Array.from({ length: shards }, (_, shard) =>
    filters.map((filter) => ({ organizationId, shard, filter, bounds, direction })),
  ).flat();
}

interface ShardPage extends SortedPage<LogEntry> {
  scanned: number;
}

async function* readWindows(
  reader: Pick<LogEntryReader, 'readPage'>,
  filteredShard: FilteredShard,
  { windows, after }: Scan,
  progress: ScanProgress,
): AsyncGenerator<ShardPage> {
  for await (const window of windows) {
    const lastId =
      filteredShard.direction === 'asc' ? lastLogIdAt(window.endMs - 1) : firstLogIdAt(window.startMs);
    const readThrough = window.isLast ? null : lastId;
    for (let lastEvaluatedId: string | null | undefined = after; lastEvaluatedId !== null; ) {
      const page = await reader.readPage(
        { ...filteredShard, window },
        lastEvaluatedId,
        nextReadSize(progress),
      );
      lastEvaluatedId = page.lastEvaluatedId;
      progress.read += page.scannedCount;
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
function nextReadSize({ toFind, found, scanned, openShards }: ScanProgress): number {
  const itemsPerEntry = Math.max(1, scanned / Math.max(1, found));
  const share = ((toFind - found) * itemsPerEntry) / openShards;
  const margin = 2 * Math.sqrt(share * (1 - 1 / openShards));
  const maxSize = Math.ceil((maxScannedItems - scanned) / openShards);
  return Math.min(
    Math.max(Math.ceil(share + margin), minReadSize),
    Math.max(maxSize, minReadSize),
    maxReadSize,
  );
}
