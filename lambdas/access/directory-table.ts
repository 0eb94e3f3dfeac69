import {
  type DynamoDBDocumentClient,
  paginateQuery,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { nullIfConditionFails, retryOnConflict } from '#lambdas/platform/dynamodb/conflicts.ts';
import {
  type Changes,
  type Condition,
  conditionExpressions,
  exists,
  unchanged,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

export interface DirectoryTable {
  client: DynamoDBDocumentClient;
  tableName: string;
}

export function findRecord({ client, tableName }: DirectoryTable, key: Item): Promise<Item | null> {
  return createSdkTableCalls(client).get(tableName, key);
}

async function queryRecords(
  { client, tableName }: DirectoryTable,
  input: Omit<QueryCommandInput, 'TableName'>,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of paginateQuery({ client }, { TableName: tableName, ...input })) {
    items.push(...(page.Items ?? []));
  }
  return items;
}

/** Strongly consistent: all items of the partition, or those whose sort key begins with the prefix. */
export function queryPartition(table: DirectoryTable, partition: string, prefix?: string): Promise<Item[]> {
  return queryRecords(table, {
    KeyConditionExpression: `pk = :partition${prefix === undefined ? '' : ' AND begins_with(sk, :prefix)'}`,
    ExpressionAttributeValues: { ':partition': partition, ':prefix': prefix },
    ConsistentRead: true,
  });
}

interface RecordRange {
  partition: string;
  /** The sort key after which the items begin. */
  before: string | null;
  limit: number;
}

/** Strongly consistent: up to `limit` items of a partition in the descending order of the sort key, and whether there are more. */
export async function queryDescending(
  { client, tableName }: DirectoryTable,
  { partition, before, limit }: RecordRange,
): Promise<{ items: Item[]; more: boolean }> {
  const items: Item[] = [];
  const pages = paginateQuery(
    { client },
    {
      TableName: tableName,
      KeyConditionExpression: `pk = :partition${before === null ? '' : ' AND sk < :before'}`,
      ExpressionAttributeValues: { ':partition': partition, ':before': before ?? undefined },
      ScanIndexForward: false,
      // One more shows whether there are more.
      Limit: limit + 1,
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) {
    items.push(...Items);
    if (items.length > limit) break;
  }
  return { items: items.slice(0, limit), more: items.length > limit };
}

/** Returns the updated record, or the unchanged one when the condition fails; `null` when there is no record. */
export async function updateRecordIf(
  table: DirectoryTable,
  update: Omit<UpdateCommandInput, 'TableName'> & { Key: Item },
): Promise<Item | null> {
  const input = { TableName: table.tableName, ReturnValues: 'ALL_NEW', ...update } as const;
  const output = await nullIfConditionFails(
    retryOnConflict(() => table.client.send(new UpdateCommand(input))),
  );
  return output === null ? findRecord(table, update.Key) : (output.Attributes ?? null);
}

/** The record exists, and has these values; `undefined` stands for an attribute that it must not have. */
export function recordUnchanged(attributes: Item): [Condition, ...Condition[]] {
  return [exists('pk'), ...unchanged(attributes)];
}

/** Sets the attribute, or removes it with `undefined`. */
export function attributeChange(name: string, value: unknown): Changes {
  return value === undefined ? { remove: [name] } : { set: { [name]: value } };
}

export interface RecordChange {
  /** At least one attribute. */
  set: Item;
  /** The attributes that the change relies on, as they were read: see `recordUnchanged`. */
  unchanged: Item;
}

/** An item of a transaction. */
export function changeItem({ tableName }: DirectoryTable, key: Item, { set, unchanged: read }: RecordChange) {
  return {
    Update: { TableName: tableName, Key: key, ...updateExpressions({ set }, ...recordUnchanged(read)) },
  };
}

/** An item of a transaction that only has the condition. */
export function checkItem({ tableName }: DirectoryTable, key: Item, read: Item) {
  return {
    ConditionCheck: { TableName: tableName, Key: key, ...conditionExpressions(...recordUnchanged(read)) },
  };
}

export function byCreation(a: { id: string; created_at: string }, b: typeof a): number {
  return compare(a.created_at, b.created_at) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
