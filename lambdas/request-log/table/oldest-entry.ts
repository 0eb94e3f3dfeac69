import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { timestampOfLogId } from '../id.ts';
import { partitionOf } from './item.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import type { LogShard } from './scan.ts';
import { logEntriesSchema } from './schema.ts';

const { partitionKey, sortKey } = logEntriesSchema;

/**
 * When the oldest entry of the shard was created, expired or not, in milliseconds since 1970; `null` without entries. Strongly
 * consistent.
 */
export async function findOldestEntryMs(
  { client, tableName }: Pick<LogEntriesTable, 'client' | 'tableName'>,
  { organizationId, shard }: LogShard,
): Promise<number | null> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      Limit: 1,
      KeyConditionExpression: '#partition = :partition',
      ProjectionExpression: '#id',
      ExpressionAttributeNames: { '#partition': partitionKey, '#id': sortKey },
      ExpressionAttributeValues: { ':partition': partitionOf(organizationId, shard) },
    }),
  );
  const [oldest] = Items;
  return oldest === undefined ? null : timestampOfLogId(String(oldest[sortKey]));
}
