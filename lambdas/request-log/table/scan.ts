/** Reads log entries oldest first and with strong consistency, for sums, exports and repairs. */
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { ascending, mergeSorted, prefetch, type SortedPage } from '#lambdas/platform/merge-sorted.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { StoredLogEntry } from '../entry.ts';
import { firstLogIdAt, lastLogIdAt } from '../id.ts';
import { partitionOf, storedFromItem } from './item.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import { logEntriesSchema } from './schema.ts';

const { partitionKey, sortKey, expiry } = logEntriesSchema;

export interface LogShard {
  organizationId: string;
  shard: number;
}

export function shardsOf(organizationId: string, count: number): LogShard[] {
  return Array.from({ length: count }, (_, shard) => ({ organizationId, shard }));
}

export interface LogEntryPagesRange extends LogShard {
  window: TimeWindow;
  /** The id of an entry to resume after; all entries are read when missing or empty. */
  after?: string;
  /** In items; DynamoDB's limit of 1 MB when missing. */
  pageSize?: number;
  /** Called for each page with its number of scanned items, including expired ones, which the page omits. */
  onScanned?: (count: number) => void;
}

/** Yields pages of at most 1 MB, which can be empty. */
export async function* readLogEntryPages(
  table: LogEntriesTable,
  { organizationId, shard, window, after = '', pageSize, onScanned }: LogEntryPagesRange,
): AsyncGenerator<StoredLogEntry[]> {
  const first = firstLogIdAt(window.startMs);
  const lowest = after > first ? after : first;
  const last = lastLogIdAt(window.endMs - 1);
  // DynamoDB rejects a range that ends before it starts.
  if (window.startMs >= window.endMs || lowest > last) return;
  const pages = paginateQuery(
    { client: table.client, ...(pageSize !== undefined && { pageSize }) },
    {
      TableName: table.tableName,
      ConsistentRead: true,
      KeyConditionExpression: '#partition = :partition AND #id BETWEEN :lowest AND :highest',
      FilterExpression: '#expiry > :now',
      ExpressionAttributeNames: { '#partition': partitionKey, '#id': sortKey, '#expiry': expiry },
      ExpressionAttributeValues: {
        ':partition': partitionOf(organizationId, shard),
        ':lowest': lowest,
        ':highest': last,
        ':now': table.now().getTime() / 1000,
      },
    },
  );
  for await (const { Items = [], ScannedCount = 0 } of pages) {
    onScanned?.(ScannedCount);
    yield Items.filter((item) => item[sortKey] !== after).map(storedFromItem);
  }
}

interface OrderedEntriesRange {
  shards: readonly LogShard[];
  window: TimeWindow;
  after: string;
}

/** The limit for all shards together. Two pages of each shard are in memory at a time. */
const maxEntriesInMemory = 20_000;
const minPageSize = 10;

const oldestFirst = { keyOf: ({ entry }: StoredLogEntry) => entry.id, compare: ascending };

/** Yields the entries of all shards, oldest first, in batches that are never empty. */
export async function* entriesInOrder(
  table: LogEntriesTable,
  { shards, ...range }: OrderedEntriesRange,
): AsyncGenerator<StoredLogEntry[]> {
  const pageSize = Math.max(minPageSize, Math.ceil(maxEntriesInMemory / (2 * shards.length)));
  const runs = shards.map((shard) =>
    sortedPages(prefetch(readLogEntryPages(table, { ...shard, ...range, pageSize }))),
  );
  for await (const { items } of mergeSorted(runs, oldestFirst)) {
    if (items.length > 0) yield items;
  }
}

async function* sortedPages(
  pages: AsyncIterable<StoredLogEntry[]>,
): AsyncGenerator<SortedPage<StoredLogEntry>> {
  for await (const items of pages) {
    const last = items.at(-1);
    // Skip empty pages: they have no id for `completeThrough`.
    if (last !== undefined) yield { items, completeThrough: last.entry.id };
  }
}
