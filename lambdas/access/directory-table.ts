import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  PutCommand,
  paginateQuery,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

export interface DirectoryTable {
  client: DynamoDBDocumentClient;
  tableName: string;
}

export async function createRecord({ client, tableName }: DirectoryTable, item: Item): Promise<void> {
  const ConditionExpression = 'attribute_not_exists(pk)';
  await client.send(new PutCommand({ TableName: tableName, Item: item, ConditionExpression }));
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
  try {
    const { Attributes } = await table.client.send(
      new UpdateCommand({ TableName: table.tableName, ReturnValues: 'ALL_NEW', ...update }),
    );
    return Attributes ?? null;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return findRecord(table, update.Key);
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
