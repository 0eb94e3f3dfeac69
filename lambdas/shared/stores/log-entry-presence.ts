/** Whether there is an entry: for whoever puts back what may have been lost. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { LogEntry } from '../domain/log-entry.ts';
import { shardOfLogId } from '../domain/log-id.ts';
import { partitionOf, tableKey } from './log-entry-item.ts';
import type { LogEntriesTable } from './log-entry-writer.ts';

/** One strongly consistent read. An entry that has expired and is not deleted yet is there. */
export async function isLogEntryThere(
  { client, tableName }: LogEntriesTable,
  { organization_id, id }: Pick<LogEntry, 'organization_id' | 'id'>,
): Promise<boolean> {
  const { Item } = await client.send(
    new GetCommand({
      TableName: tableName,
      Key: { [tableKey]: partitionOf(organization_id, shardOfLogId(id)), id },
      ConsistentRead: true,
      ProjectionExpression: '#id',
      ExpressionAttributeNames: { '#id': 'id' },
    }),
  );
  return Item !== undefined;
}
