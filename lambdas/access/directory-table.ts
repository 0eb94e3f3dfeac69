import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  PutCommand,
  paginateQuery,
  type QueryCommandInput,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

export interface DirectoryTable {
  client: DynamoDBDocumentClient;
  tableName: string;
}

export const organizationsPartition = 'organizations';

export const organizationKey = (organizationId: string) => ({
  pk: organizationsPartition,
  sk: organizationId,
});

export async function createRecord({ client, tableName }: DirectoryTable, item: Item): Promise<void> {
  const ConditionExpression = 'attribute_not_exists(pk)';
  await client.send(new PutCommand({ TableName: tableName, Item: item, ConditionExpression }));
}

export interface UnchangedAttribute {
  key: Item;
  attribute: string;
  /** `undefined` if the attribute must not exist. */
  value: unknown;
}

/** Resolves to `false` when one of the attributes has changed. */
export async function createRecordIf(
  { client, tableName }: DirectoryTable,
  item: Item,
  unchanged: readonly UnchangedAttribute[],
): Promise<boolean> {
  const put = { TableName: tableName, Item: item, ConditionExpression: 'attribute_not_exists(pk)' };
  const checks = unchanged.map(({ key, attribute, value }) => ({
    TableName: tableName,
    Key: key,
    ExpressionAttributeNames: { '#attribute': attribute },
    ...(value === undefined
      ? { ConditionExpression: 'attribute_not_exists(#attribute)' }
      : { ConditionExpression: '#attribute = :value', ExpressionAttributeValues: { ':value': value } }),
  }));
  try {
    await client.send(
      new TransactWriteCommand({
        TransactItems: [{ Put: put }, ...checks.map((ConditionCheck) => ({ ConditionCheck }))],
      }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const [created, ...checked] = error.CancellationReasons ?? [];
    const hasChanged = checked.some(
      ({ Code }) => Code === 'ConditionalCheckFailed' || Code === 'TransactionConflict',
    );
    if (created?.Code === 'ConditionalCheckFailed' || !hasChanged) throw error;
    return false;
  }
}

export function findRecord({ client, tableName }: DirectoryTable, key: Item): Promise<Item | null> {
  return createSdkTableCalls(client).get(tableName, key);
}

export async function queryRecords(
  { client, tableName }: DirectoryTable,
  input: Omit<QueryCommandInput, 'TableName'>,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of paginateQuery({ client }, { TableName: tableName, ...input })) {
    items.push(...(page.Items ?? []));
  }
  return items;
}

/** Returns the updated record, or the unchanged one when the condition fails; `null` when there is no record. */
export async function updateRecordIf(
  table: DirectoryTable,
  update: Omit<UpdateCommandInput, 'TableName'> & { Key: Item },
): Promise<Item | null> {
  for (;;) {
    try {
      const { Attributes } = await table.client.send(
        new UpdateCommand({ TableName: table.tableName, ReturnValues: 'ALL_NEW', ...update }),
      );
      return Attributes ?? null;
    } catch (error) {
      // The transaction that creates a key reads the record at this moment.
      if (error instanceof TransactionConflictException) continue;
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return findRecord(table, update.Key);
    }
  }
}

export async function raiseRecordLogShards(
  table: DirectoryTable,
  { key, logShards }: { key: Item; logShards: number },
): Promise<Item | null> {
  return updateRecordIf(table, {
    Key: key,
    UpdateExpression: 'SET log_shards = :shards',
    ConditionExpression: 'attribute_exists(pk) AND log_shards < :shards',
    ExpressionAttributeValues: { ':shards': logShards },
  });
}

export function byCreation(a: { id: string; created_at: string }, b: typeof a): number {
  return compare(a.created_at, b.created_at) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
