/** Whether there is an entry: for whoever puts back what may have been lost. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { LogEntry, Outcome } from '../domain/log-entry.ts';
import { shardOfLogId } from '../domain/log-id.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import { partitionOf, tableKey } from './log-entry-item.ts';

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
