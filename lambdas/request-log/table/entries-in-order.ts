/** The log entries of any shards in the order of their ids, which is that of time. */

import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { StoredLogEntry } from '../entry.ts';
import { mergeOldestFirst } from '../merge-oldest-first.ts';
import { readLogEntryPages } from './scan.ts';
import type { LogEntriesTable } from './sdk-writer.ts';

export interface EntriesRange {
  shards: readonly LogShard[];
  window: TimeWindow;
  /** Only entries newer than this id; all when it is empty. */
  after: string;
}

export interface LogShard {
  organizationId: string;
  shard: number;
}

/** The shards of an organization that has so many. */
export function shardsOf(organizationId: string, count: number): LogShard[] {
  return Array.from({ length: count }, (_, shard) => ({ organizationId, shard }));
}

/** How many entries are in memory: two pages of each shard. */
const entriesAhead = 20_000;
const smallestPage = 10;

/** Batches, none of them empty. */
export function entriesInOrder(
  table: LogEntriesTable,
  { shards, ...range }: EntriesRange,
): AsyncGenerator<StoredLogEntry[]> {
  const pageSize = Math.max(smallestPage, Math.ceil(entriesAhead / (2 * shards.length)));
  return mergeOldestFirst(shards.map((shard) => readLogEntryPages(table, { ...shard, ...range, pageSize })));
}
