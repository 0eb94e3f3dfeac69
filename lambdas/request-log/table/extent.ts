/** Finds the oldest and the newest entry of a shard, expired or not. All reads are strongly consistent. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import type { StoredLogEntry } from '../entry.ts';
import { firstLogIdAt, timestampOfLogId } from '../id.ts';
import { partitionOf, storedFromItem } from './item.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import { type LogShard, shardsOf } from './scan.ts';
import { logEntriesSchema } from './schema.ts';

const { partitionKey, sortKey, expiry } = logEntriesSchema;

type Table = Pick<LogEntriesTable, 'client' | 'tableName'>;

/** The last entry of the shard that was created before this time. */
export async function findNewestLogEntry(
  table: Table,
  shard: LogShard,
  beforeMs: number,
): Promise<StoredLogEntry | null> {
  const newest = await findOutermostItem(table, shard, 'newest', beforeMs);
  return newest && storedFromItem(newest);
}

/** When the oldest entry of the shard was created, in milliseconds since 1970; `null` without entries. */
export async function findOldestEntryMs(table: Table, shard: LogShard): Promise<number | null> {
  const oldest = await findOutermostItem(table, shard, 'oldest');
  return oldest && createdMs(oldest);
}

interface LogEntryExtent {
  /** The creation time of the oldest entry, which may have expired. */
  oldestMs: number;
  /** Lifetimes differ when the retention was changed. */
  minLifetimeMs: number;
}

const concurrency = 25;

export async function readLogEntryExtent(
  table: Table,
  organizationId: string,
  logShards: number,
): Promise<LogEntryExtent | null> {
  const items: Item[] = [];
  await forEachConcurrently(shardsOf(organizationId, logShards), concurrency, async (shard) => {
    const oldest = await findOutermostItem(table, shard, 'oldest');
    const newest = oldest && (await findOutermostItem(table, shard, 'newest'));
    items.push(...[oldest, newest].filter((item) => item !== null));
  });
  if (items.length === 0) return null;
  return {
    oldestMs: Math.min(...items.map(createdMs)),
    minLifetimeMs: Math.min(...items.map((item) => Number(item[expiry]) * 1000 - createdMs(item))),
  };
}

async function findOutermostItem(
  { client, tableName }: Table,
  { organizationId, shard }: LogShard,
  which: 'oldest' | 'newest',
  beforeMs = allTime.endMs,
): Promise<Item | null> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      ScanIndexForward: which === 'oldest',
      Limit: 1,
      KeyConditionExpression: '#partition = :partition AND #id < :before',
      ExpressionAttributeNames: { '#partition': partitionKey, '#id': sortKey },
      ExpressionAttributeValues: {
        ':partition': partitionOf(organizationId, shard),
        ':before': firstLogIdAt(beforeMs),
      },
    }),
  );
  return Items[0] ?? null;
}

function createdMs(item: Item): number {
  return timestampOfLogId(String(item[sortKey]));
}
