import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { LogEntry, Outcome } from '../entry.ts';
import { shardOfLogId, timestampOfLogId } from '../id.ts';
import { partitionOf } from './item.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import { logEntriesSchema } from './schema.ts';

const { partitionKey, sortKey, expiry } = logEntriesSchema;

const interrupted = 'interrupted' satisfies Outcome;

/**
 * Strongly consistent. An expired entry exists until DynamoDB deletes it. For a complete entry, an existing placeholder
 * does not count, since the entry will replace it.
 */
export async function logEntryExists(
  { client, tableName }: LogEntriesTable,
  { organization_id, id, outcome }: Pick<LogEntry, 'organization_id' | 'id' | 'outcome'>,
): Promise<boolean> {
  const { Item } = await client.send(
    new GetCommand({
      TableName: tableName,
      Key: { [partitionKey]: partitionOf(organization_id, shardOfLogId(id)), [sortKey]: id },
      ConsistentRead: true,
      ProjectionExpression: 'outcome',
    }),
  );
  return Item !== undefined && (outcome === interrupted || Item.outcome !== interrupted);
}

export interface LogEntryExtent {
  /** The creation time of the oldest entry, which may have expired. */
  oldestMs: number;
  /** Lifetimes differ when the retention was changed. */
  minLifetimeMs: number;
}

const concurrency = 25;

/** Strongly consistent. */
export async function readLogEntryExtent(
  table: LogEntriesTable,
  organizationId: string,
  logShards: number,
): Promise<LogEntryExtent | null> {
  const items: Item[] = [];
  await forEachConcurrently(Array.from({ length: logShards }).keys(), concurrency, async (shard) => {
    const partition = partitionOf(organizationId, shard);
    const oldest = await findItem(table, partition, 'oldest');
    const newest = oldest && (await findItem(table, partition, 'newest'));
    items.push(...[oldest, newest].filter((item) => item !== null));
  });
  if (items.length === 0) return null;
  return {
    oldestMs: Math.min(...items.map(createdMs)),
    minLifetimeMs: Math.min(...items.map((item) => Number(item[expiry]) * 1000 - createdMs(item))),
  };
}

async function findItem(
  { client, tableName }: LogEntriesTable,
  partition: string,
  which: 'oldest' | 'newest',
): Promise<Item | null> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      ScanIndexForward: which === 'oldest',
      Limit: 1,
      KeyConditionExpression: '#partition = :partition',
      ExpressionAttributeNames: { '#partition': partitionKey },
      ExpressionAttributeValues: { ':partition': partition },
    }),
  );
  return Items[0] ?? null;
}

function createdMs(item: Item): number {
  return timestampOfLogId(String(item[sortKey]));
}
