/**
 * The entries that have been written since an earlier call, for lists that follow the requests as they end.
 *
 * An entry appears when its request has ended, up to a quarter of an hour after the time in its id, and the clocks of those
 * who write entries differ. To read that much with each call would be expensive. So most calls read the entries of short requests
 * only, and one a minute reads those of all requests, with a tolerance for clocks and slow writes. What the others have missed
 * appears with it, and some of what is known appears again.
 */

import { minuteMs, secondMs } from '#lambdas/platform/duration.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import { clockSkewToleranceMs, maxEntryWriteMs, maxRequestMs } from '#lambdas/request-log/durations.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { LogListDependencies } from './list.ts';
import { sortedField } from './query/order.ts';
import { type LogQuery, parseLogQuery } from './query/query.ts';
import { maxScannedItems, newProgress, scanEntries } from './scan.ts';

/** In milliseconds since 1970. */
interface TailPosition {
  /** The last call. */
  readAtMs: number;
  /** The last call that read the entries of all requests, or the first page. */
  completeAtMs: number;
}

/** How often a call reads the entries of all requests. */
const completeEveryMs = minuteMs;
/** Longer requests appear once a minute. */
const shortRequestMs = 30 * secondMs;
/** For slow writes and clocks that differ little. */
const overlapMs = 2 * secondMs;
/** For the slowest writes, and for clocks that differ as much as is tolerated. */
const maxOverlapMs = clockSkewToleranceMs + maxEntryWriteMs;

export interface NewEntries {
  /** The newest first. */
  entries: LogEntry[];
  /** Whether some are missing. */
  hasMore: boolean;
  tail: string;
  query: LogQuery;
}

/** The tail of a first page that was read at this time. `null` for a list in another order, and for other pages. */
export function tailOfPage({ order, cursor, offset }: LogQuery, readAtMs: number): string | null {
  const isFirst = cursor === undefined && offset === 0;
  const isNewestFirst = sortedField(order) === null && order.direction === 'desc';
  return isFirst && isNewestFirst ? writeTail({ readAtMs, completeAtMs: readAtMs }) : null;
}

/** Throws a `GatewayError` (400) that names the parameter. */
export async function readNewEntries(
  dependencies: LogListDependencies,
  organizationId: string,
  parameters: RawQueryParameters,
  writtenAfter: string,
): Promise<NewEntries> {
  const query = parseLogQuery(organizationId, parameters);
  const nowMs = dependencies.now().getTime();
  if (tailOfPage(query, nowMs) === null) {
    throw invalidRequestError(
      'written_after',
      'written_after requires a list by time, the newest first, without cursor and offset: remove sort, order, cursor and offset',
    );
  }
  const position = readTail(writtenAfter);
  const isComplete = nowMs - position.completeAtMs >= completeEveryMs;
  const sinceMs = isComplete ? position.completeAtMs - maxOverlapMs : position.readAtMs - overlapMs;
  const createdMs = isComplete ? sinceMs - maxRequestMs - maxOverlapMs : sinceMs - shortRequestMs;
  const { shards } = await dependencies.logAccessOf(organizationId);
  const window = { ...query.window, startMs: Math.max(query.window.startMs, createdMs) };
  const narrowed = { ...query, window, bounds: { ...query.bounds, writtenSinceMs: sinceMs } };
  const completeAtMs = isComplete ? nowMs : position.completeAtMs;
  return {
    ...(await readWindow(dependencies, narrowed, shards)),
    tail: writeTail({ readAtMs: nowMs, completeAtMs }),
    query,
  };
}

async function readWindow(
  { logEntries }: Pick<LogListDependencies, 'logEntries'>,
  query: LogQuery,
  shards: number,
): Promise<Pick<NewEntries, 'entries' | 'hasMore'>> {
  const { limit, window } = query;
  const entries: LogEntry[] = [];
  if (window.startMs >= window.endMs) return { entries, hasMore: false };
  const progress = newProgress(limit + 1);
  const windows = {
    async *[Symbol.asyncIterator]() {
      yield { ...window, isLast: true };
    },
  };
  const scan = { query, shards, windows, after: undefined };
  for await (const { items } of scanEntries(logEntries, scan, progress)) {
    entries.push(...items);
    progress.found += items.length;
    const hasMore = entries.length > limit || progress.scanned >= maxScannedItems;
    if (hasMore) return { entries: entries.slice(0, limit), hasMore };
  }
  return { entries, hasMore: false };
}

function writeTail({ readAtMs, completeAtMs }: TailPosition): string {
  return `${readAtMs}-${completeAtMs}`;
}

function readTail(text: string): TailPosition {
  const [, readAt, completeAt] = /^(\d{1,14})-(\d{1,14})$/.exec(text) ?? [];
  if (readAt !== undefined && completeAt !== undefined) {
    return { readAtMs: Number(readAt), completeAtMs: Number(completeAt) };
  }
  throw invalidRequestError(
    'written_after',
    'written_after must be the tail of a list with the same parameters: load the list anew',
  );
}
