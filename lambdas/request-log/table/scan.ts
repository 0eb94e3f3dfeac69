/** Log entries of one shard, oldest first, as they are in the table at that moment: for sums and for repairs. */
import { GetCommand, paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry, Outcome, StoredLogEntry } from '../entry.ts';
import { firstLogIdAt, lastLogIdAt, shardOfLogId, timestampOfLogId } from '../id.ts';
import { expiryAttribute, partitionOf, storedFromItem, tableKey } from './item.ts';
import type { LogEntriesTable } from './sdk-writer.ts';
export interface LogEntryPagesRange {
  organizationId: string;
  shard: number;
  window: TimeWindow;
  /** Only entries newer than this id: where a reading that was stopped goes on. */
  after?: string;
  /** How many entries a page looks at; as many as DynamoDB reads at a time where left out. */
  pageSize?: number;
  /** Is told of each page how many entries it took, those among them that have expired and are not in it. */
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
      ExpressionAttributeNames: { '#partition': tableKey, '#id': 'id', '#expiry': expiryAttribute },
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
    yield Items.filter(({ id }) => id !== after).map(storedFromItem);
  }
}

// How far back the entries of an organization go, and how long they are kept.

export interface LogEntryExtent {
  /** When the oldest entry that is left was created; it may have expired. */
  oldestMs: number;
  /** How long an entry is kept at least. Old and new ones differ when the retention was changed. */
  shortestLifeMs: number;
}

const shardsAtOnce = 25;

/** `null` when there are no entries. Strongly consistent. */
export async function readLogEntryExtent(
  table: LogEntriesTable,
  organizationId: string,
  logShards: number,
): Promise<LogEntryExtent | null> {
  const ends: Item[] = [];
  await forEachAtOnce(Array.from({ length: logShards }).keys(), shardsAtOnce, async (shard) => {
    const partition = partitionOf(organizationId, shard);
    const oldest = await endOf(table, { partition, isOldest: true });
    const newest = oldest && (await endOf(table, { partition, isOldest: false }));
    ends.push(...[oldest, newest].filter((item) => item !== null));
  });
  if (ends.length === 0) return null;
  return {
    oldestMs: Math.min(...ends.map(createdMs)),
    shortestLifeMs: Math.min(...ends.map((item) => Number(item[expiryAttribute]) * 1000 - createdMs(item))),
  };
}

async function endOf(
  { client, tableName }: LogEntriesTable,
  { partition, isOldest }: { partition: string; isOldest: boolean },
): Promise<Item | null> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      ScanIndexForward: isOldest,
      Limit: 1,
      KeyConditionExpression: '#partition = :partition',
      ExpressionAttributeNames: { '#partition': tableKey },
      ExpressionAttributeValues: { ':partition': partition },
    }),
  );
  return Items[0] ?? null;
}

function createdMs({ id }: Item): number {
  return timestampOfLogId(String(id));
}

// Whether there is an entry: for whoever puts back what may have been lost.

const interrupted = 'interrupted' satisfies Outcome;

/**
 * One strongly consistent read. An entry that has expired and is not deleted yet is there; one that only stands in for an
 * interrupted request is there for another of its kind, and not for the entry itself, to which it gives way.
 */
export async function isLogEntryThere(
  { client, tableName }: LogEntriesTable,
  { organization_id, id, outcome }: Pick<LogEntry, 'organization_id' | 'id' | 'outcome'>,
): Promise<boolean> {
  const { Item } = await client.send(
    new GetCommand({
      TableName: tableName,
      Key: { [tableKey]: partitionOf(organization_id, shardOfLogId(id)), id },
      ConsistentRead: true,
      ProjectionExpression: 'outcome',
    }),
  );
  return Item !== undefined && (outcome === interrupted || Item.outcome !== interrupted);
}
