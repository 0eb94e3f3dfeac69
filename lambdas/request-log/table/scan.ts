/** Log entries oldest first, as they are in the table at that moment: for sums, exports and repairs. */
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { ascending, mergeSorted, prefetch } from '#lambdas/platform/merge-sorted.ts';
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

/** The shards of an organization that has so many. */
export function shardsOf(organizationId: string, count: number): LogShard[] {
  return Array.from({ length: count }, (_, shard) => ({ organizationId, shard }));
}

export interface LogEntryPagesRange extends LogShard {
  window: TimeWindow;
  /** Only entries newer than this id, to resume after it; all when left out or empty. */
  after?: string;
  /** How many items a page reads; as many as DynamoDB reads at a time when left out. */
  pageSize?: number;
  /** Called for each page with the number of items that it read: those that have expired are not among its entries. */
  onScanned?: (count: number) => void;
}

/** Pages of at most 1 MB; one can be empty. Strongly consistent. */
export async function* readLogEntryPages(
  table: LogEntriesTable,
  { organizationId, shard, window, after = '', pageSize, onScanned }: LogEntryPagesRange,
): AsyncGenerator<StoredLogEntry[]> {
  const first = firstLogIdAt(window.startMs);
  const lowest = after > first ? after : first;
  const highest = lastLogIdAt(window.endMs - 1);
  // DynamoDB refuses a range that ends before it starts.
  if (window.startMs >= window.endMs || lowest > highest) return;
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
        ':highest': highest,
        ':now': table.now().getTime() / 1000,
      },
    },
  );
  for await (const { Items = [], ScannedCount = 0 } of pages) {
    onScanned?.(ScannedCount);
    // The range includes its lowest id.
    yield Items.filter((item) => item[sortKey] !== after).map(storedFromItem);
  }
}

export interface EntriesRange {
  shards: readonly LogShard[];
  window: TimeWindow;
  /** Only entries newer than this id; all when it is empty. */
  after: string;
}

/** How many entries are in memory: two pages of each shard. */
const entriesAhead = 20_000;
const minPageSize = 10;

const oldestFirst = { keyOf: ({ entry }: StoredLogEntry) => entry.id, compare: ascending };

/** The entries of all the shards in the order of their ids, which is that of time. Batches, none of them empty. */
export async function* entriesInOrder(
  table: LogEntriesTable,
  { shards, ...range }: EntriesRange,
): AsyncGenerator<StoredLogEntry[]> {
  const pageSize = Math.max(minPageSize, Math.ceil(entriesAhead / (2 * shards.length)));
  const runs = shards.map((shard) =>
    sortedPages(prefetch(readLogEntryPages(table, { ...shard, ...range, pageSize }))),
  );
  for await (const { items } of mergeSorted(runs, oldestFirst)) {
    if (items.length > 0) yield items;
  }
}

async function* sortedPages(pages: AsyncIterable<StoredLogEntry[]>) {
  for await (const items of pages) {
    const last = items.at(-1);
    // Entries of another run may come before those of the next page, so an empty page says nothing.
    if (last !== undefined) yield { items, completeTo: last.entry.id };
  }
}
