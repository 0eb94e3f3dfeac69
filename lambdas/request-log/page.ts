/** The page that answers a query for log entries: merged from a run for each shard and filter, within a budget. */
import { type LogPosition, readCursor, writeCursor } from './cursor.ts';
import type { LogEntry, LogEntryRange, LogEntryReader, LogStep } from './entry.ts';
import { mergeNewestFirst } from './merge-runs.ts';
import type { LogQuery } from './query.ts';

export interface LogPage {
  entries: LogEntry[];
  /** Whether another page has to be asked for: with conditions that match little, it can turn out to be empty. */
  hasMore: boolean;
  /** For the page that follows; `null` when there is none. */
  nextCursor: string | null;
}

export interface LogSource {
  reader: Pick<LogEntryReader, 'newestFirst'>;
  /** How many shards the organization has by now. */
  shards: number;
  /** The organization's, for its cursors. */
  cursorKey: string;
  /** After how many items a page ends, full or not. */
  budget?: number;
}

/** More than the highest offset and limit need, so only conditions that match little make a page thin. */
export const pageBudget = 12_000;
/** What a full page may cost more than a page without conditions, to tell surely whether another one follows. */
const lookAhead = 1000;
/** The highest limit and the entry that tells whether another page follows; about what DynamoDB reads at once. */
const largestRead = 1001;
/** Less costs the same: read units count by 4 kB. */
const smallestRead = 4;

/** How far a page has come, for the size of its next read. */
interface Progress {
  /** The entries to skip, those of the page, and the one that tells whether another page follows. */
  toFind: number;
  found: number;
  evaluated: number;
  openRuns: number;
  budget: number;
}

/** Throws a `GatewayError` (400) when the cursor is none of this query. */
export async function readLogPage(query: LogQuery, source: LogSource): Promise<LogPage> {
  const { limit, offset, cursor, scope } = query;
  const { budget = pageBudget, cursorKey, shards } = source;
  const seal = { scope, key: cursorKey };
  const position: LogPosition =
    cursor === undefined ? { before: undefined, toSkip: offset } : readCursor(cursor, seal);
  const toFind = position.toSkip + limit + 1;
  const progress = { toFind, found: 0, evaluated: 0, openRuns: shards * query.filters.length, budget };
  const entries: LogEntry[] = [];
  let { toSkip, before = '' } = position;
  const goesOn = () => ({ entries, hasMore: true, nextCursor: writeCursor({ before, toSkip }, seal) });

  for await (const step of mergeNewestFirst(runsOf({ query, source, position, progress }))) {
    const isFull = entries.length === limit;
    if (step.entry !== null && isFull) return goesOn();
    before = step.id;
    if (step.entry === null) {
      progress.evaluated += step.evaluated;
      if (progress.evaluated >= (isFull ? Math.min(toFind + lookAhead, budget) : budget)) return goesOn();
    } else {
      progress.found += 1;
      if (toSkip > 0) toSkip -= 1;
      else entries.push(step.entry);
    }
  }
  return { entries, hasMore: false, nextCursor: null };
}

interface PageReading {
  query: LogQuery;
  source: LogSource;
  position: LogPosition;
  progress: Progress;
}

function runsOf({ query, source, position, progress }: PageReading): AsyncIterable<LogStep>[] {
  const { organizationId, filters, window } = query;
  return Array.from({ length: source.shards }, (_, shard) =>
    filters.map((filter) => {
      const range = { organizationId, shard, filter, window, before: position.before };
      return readRun(source.reader, range, progress);
    }),
  ).flat();
}

/** A run, of which each read is as large as the page needs it by then. */
async function* readRun(
  reader: LogSource['reader'],
  range: Omit<LogEntryRange, 'pageSize'>,
  progress: Progress,
): AsyncGenerator<LogStep> {
  let before = range.before;
  for (;;) {
    let readTo: string | undefined;
    for await (const step of reader.newestFirst({ ...range, before, pageSize: nextReadSize(progress) })) {
      yield step;
      if (step.entry === null) {
        readTo = step.id;
        break;
      }
    }
    if (readTo === undefined) break;
    before = readTo;
  }
  progress.openRuns -= 1;
}

/**
 * An equal share of what is still to be found, by what an entry took to find so far. Entries fall on shards by chance,
 * so a share has room for what chance does in nearly all cases: twice its standard deviation.
 */
function nextReadSize({ toFind, found, evaluated, openRuns, budget }: Progress): number {
  const itemsPerEntry = Math.max(1, evaluated / Math.max(1, found));
  const share = ((toFind - found) * itemsPerEntry) / openRuns;
  const room = 2 * Math.sqrt(share * (1 - 1 / openRuns));
  const affordable = Math.ceil((budget - evaluated) / openRuns);
  return Math.min(Math.max(Math.ceil(share + room), smallestRead), affordable, largestRead);
}
