/** Reading and changing single records of the Directory table, whatever they are of. */

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

/** Fails where there is a record with this key. */
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

/** The record afterwards, changed or, where the condition does not hold, as it is; `null` when there is none. */
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

/** The record afterwards, raised or as high before; `null` when there is none. */
export async function raiseLogShardsOf(
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

export function byCreation(one: { id: string; created_at: string }, other: typeof one): number {
  return compare(one.created_at, other.created_at) || compare(one.id, other.id);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
