/** Which entries are in the table: for commands that check or restore what may be missing. */
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
 * One strongly consistent read. An entry that has expired and is not deleted yet is there. A placeholder is there for
 * another placeholder, and not for the entry itself, which takes its place.
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

/** How far back the entries of an organization go. */
export interface LogEntryExtent {
  /** When the oldest entry that is left was created; it may have expired. */
  oldestMs: number;
  /** How long an entry is kept at least. Old and new ones differ when the retention was changed. */
  minLifetimeMs: number;
}

const shardsAtOnce = 25;

/** `null` when there are no entries. Strongly consistent. */
export async function readLogEntryExtent(
  table: LogEntriesTable,
  organizationId: string,
  logShards: number,
): Promise<LogEntryExtent | null> {
  const ends: Item[] = [];
  await forEachConcurrently(Array.from({ length: logShards }).keys(), shardsAtOnce, async (shard) => {
    const partition = partitionOf(organizationId, shard);
    const oldest = await endOf(table, partition, 'oldest');
    const newest = oldest && (await endOf(table, partition, 'newest'));
    ends.push(...[oldest, newest].filter((item) => item !== null));
  });
  if (ends.length === 0) return null;
  return {
    oldestMs: Math.min(...ends.map(createdMs)),
    minLifetimeMs: Math.min(...ends.map((item) => Number(item[expiry]) * 1000 - createdMs(item))),
  };
}

async function endOf(
  { client, tableName }: LogEntriesTable,
  partition: string,
  end: 'oldest' | 'newest',
): Promise<Item | null> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      ScanIndexForward: end === 'oldest',
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
