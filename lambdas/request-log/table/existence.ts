import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { LogEntry, Outcome } from '../entry.ts';
import { shardOfLogId } from '../id.ts';
import { partitionOf } from './item.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import { logEntriesSchema } from './schema.ts';

const { partitionKey, sortKey } = logEntriesSchema;

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
