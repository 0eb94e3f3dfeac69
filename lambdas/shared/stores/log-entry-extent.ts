/** How far back the entries of an organization go, and how long they are kept. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { timestampOfLogId } from '../domain/log-id.ts';
import { forEachAtOnce } from '../domain/work-pool.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import { expiryAttribute, partitionOf, tableKey } from './log-entry-item.ts';
import type { Item } from './table-calls.ts';

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
