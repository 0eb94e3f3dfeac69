/** Looks up single entries. Reads are strongly consistent. An expired entry exists until DynamoDB deletes it. */
import { GetCommand, type GetCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { LogEntry, Outcome, StoredLogEntry } from '../entry.ts';
import { shardOfLogId } from '../id.ts';
import { partitionOf, storedFromItem } from './item.ts';
import type { LogEntriesTable } from './log-entries-table.ts';
import { logEntriesSchema } from './schema.ts';

const { partitionKey, sortKey } = logEntriesSchema;

const interrupted = 'interrupted' satisfies Outcome;

type EntryKey = Pick<LogEntry, 'organization_id' | 'id'>;

/** For a complete entry, an existing placeholder does not count, since the entry will replace it. */
export async function logEntryExists(
  table: LogEntriesTable,
  { outcome, ...key }: EntryKey & Pick<LogEntry, 'outcome'>,
): Promise<boolean> {
  const item = await getItem(table, key, { ProjectionExpression: 'outcome' });
  return item !== null && (outcome === interrupted || item.outcome !== interrupted);
}

export async function findStoredEntry(table: LogEntriesTable, key: EntryKey): Promise<StoredLogEntry | null> {
  const item = await getItem(table, key);
  return item && storedFromItem(item);
}

async function getItem(
  { client, tableName }: LogEntriesTable,
  { organization_id, id }: EntryKey,
  options: Pick<GetCommandInput, 'ProjectionExpression'> = {},
): Promise<Item | null> {
  const { Item } = await client.send(
    new GetCommand({
      TableName: tableName,
      Key: { [partitionKey]: partitionOf(organization_id, shardOfLogId(id)), [sortKey]: id },
      ConsistentRead: true,
      ...options,
    }),
  );
  return Item ?? null;
}
