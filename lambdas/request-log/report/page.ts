/** The page that answers a query for log entries: merged from a run for each shard and filter, within a budget. */
import type { LogAccess } from '#lambdas/access/directory.ts';
import { descending, mergeSorted, type SortedPage } from '#lambdas/platform/merge-sorted.ts';
import type { LogEntry } from '../entry.ts';
import { type LogPosition, readCursor, writeCursor } from './cursor.ts';
import type { LogQuery } from './query.ts';
import type { LogEntryRange, LogEntryReader } from './read.ts';

export interface LogPage {
  entries: LogEntry[];
  /** Whether there is another page to ask for. With conditions that match little, that one can be empty. */
  hasMore: boolean;
  /** For the page that follows; `null` when there is none. */
  nextCursor: string | null;
}

/** A page ends when so many items were read, full or not: more than the highest offset and limit take without conditions. */
export const pageBudget = 12_000;
/** What a full page may read beyond its own entries, to find out whether another page follows. */
const lookAhead = 1000;
/** The highest limit and the entry that tells whether another page follows; about what DynamoDB reads at once. */
const maxReadSize = 1001;
/** A smaller read costs the same: read units are counted by 4 kB. */
const minReadSize = 4;

/** How far a page has come, for the size of its next read. */
interface Progress {
  /** The entries to skip, those of the page, and the one that tells whether another page follows. */
  toFind: number;
  found: number;
  scanned: number;
  openRuns: number;
}

const newestFirst = { keyOf: ({ id }: LogEntry) => id, compare: descending };

/** Throws a `GatewayError` (400) when the cursor is not one of this query. */
export async function readLogPage(
  reader: Pick<LogEntryReader, 'readPage'>,
  query: LogQuery,
  { shards, cursorKey }: LogAccess,
): Promise<LogPage> {
  const { limit, offset, cursor, scope } = query;
  const seal = { scope, key: cursorKey };
  const position: LogPosition =
    cursor === undefined ? { before: undefined, toSkip: offset } : readCursor(cursor, seal);
  const toFind = position.toSkip + limit + 1;
  const runs = runsOf(query, shards);
  const progress: Progress = { toFind, found: 0, scanned: 0, openRuns: runs.length };
  const entries: LogEntry[] = [];
  let { before = '', toSkip } = position;
  const unfinished = () => ({ entries, hasMore: true, nextCursor: writeCursor({ before, toSkip }, seal) });

  const pages = runs.map((run) => readRun(reader, run, position.before, progress));
  for await (const { items, completeTo, finished } of mergeSorted(pages, newestFirst)) {
    for (const entry of items) {
      if (entries.length === limit) return unfinished();
      before = entry.id;
      progress.found += 1;
      if (toSkip > 0) toSkip -= 1;
      else entries.push(entry);
    }
    if (completeTo === null) break;
    before = completeTo;
    for (const { scanned } of finished) progress.scanned += scanned;
    const budget = entries.length === limit ? Math.min(toFind + lookAhead, pageBudget) : pageBudget;
    if (progress.scanned >= budget) return unfinished();
  }
  return { entries, hasMore: false, nextCursor: null };
}

function runsOf({ organizationId, filters, window }: LogQuery, shards: number): LogEntryRange[] {
  return Array.from({ length: shards }, (_, shard) =>
    filters.map((filter) => ({ organizationId, shard, filter, window })),
  ).flat();
}

interface RunPage extends SortedPage<LogEntry> {
  scanned: number;
}

/** The pages of a run, each of the size that the whole page needs by then. */
async function* readRun(
  reader: Pick<LogEntryReader, 'readPage'>,
  run: LogEntryRange,
  before: string | undefined,
  progress: Progress,
): AsyncGenerator<RunPage> {
  for (let readTo: string | null | undefined = before; readTo !== null; ) {
    const page = await reader.readPage(run, readTo, nextReadSize(progress));
    yield { items: page.entries, completeTo: page.readTo, scanned: page.scanned };
    readTo = page.readTo;
  }
  progress.openRuns -= 1;
}

/**
 * An equal share of what is still to be found, by the number of items that an entry took so far. Entries are spread over
 * shards by chance, so a share is increased by twice its standard deviation, which is enough in nearly all cases.
 */
function nextReadSize({ toFind, found, scanned, openRuns }: Progress): number {
  const itemsPerEntry = Math.max(1, scanned / Math.max(1, found));
  const share = ((toFind - found) * itemsPerEntry) / openRuns;
  const margin = 2 * Math.sqrt(share * (1 - 1 / openRuns));
  const affordable = Math.ceil((pageBudget - scanned) / openRuns);
  return Math.min(Math.max(Math.ceil(share + margin), minReadSize), affordable, maxReadSize);
}
