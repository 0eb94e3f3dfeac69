import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { StoredLogEntry } from '../entry.ts';
import { firstLogIdAt } from '../id.ts';
import { partitionOf, storedFromItem } from './item.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import type { LogShard } from './scan.ts';
import { logEntriesSchema } from './schema.ts';

const { partitionKey, sortKey } = logEntriesSchema;

/** The last entry of the shard that was created before this time, expired or not. Strongly consistent. */
export async function findNewestLogEntry(
  { client, tableName }: Pick<LogEntriesTable, 'client' | 'tableName'>,
  { organizationId, shard }: LogShard,
  beforeMs: number,
): Promise<StoredLogEntry | null> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      ScanIndexForward: false,
      Limit: 1,
      KeyConditionExpression: '#partition = :partition AND #id < :before',
      ExpressionAttributeNames: { '#partition': partitionKey, '#id': sortKey },
      ExpressionAttributeValues: {
        ':partition': partitionOf(organizationId, shard),
        ':before': firstLogIdAt(beforeMs),
      },
    }),
  );
  const [newest] = Items;
  return newest === undefined ? null : storedFromItem(newest);
}
