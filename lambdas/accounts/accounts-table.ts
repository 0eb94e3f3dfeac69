/** The Accounts table, and strongly consistent reads of several of its items. */
import { setTimeout as wait } from 'node:timers/promises';
import { BatchGetCommand, type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

export interface AccountsTable {
  client: DynamoDBDocumentClient;
  tableName: string;
}

export type ItemKey = Record<'pk' | 'sk', string>;

/** All items of a partition whose sort key begins with `prefix`, in the order of the sort key. */
export async function queryItems(
  { client, tableName: TableName }: AccountsTable,
  partition: string,
  prefix: string,
): Promise<Item[]> {
  const pages = paginateQuery(
    { client },
    {
      TableName,
      KeyConditionExpression: 'pk = :partition AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':partition': partition, ':prefix': prefix },
      ConsistentRead: true,
    },
  );
  const items: Item[] = [];
  for await (const { Items = [] } of pages) items.push(...Items);
  return items;
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
const maxBatchItems = 100;
const maxRetryDelayMs = 50;

/** The items that exist, in no order. The keys must be distinct. */
export async function getItems(
  { client, tableName }: AccountsTable,
  keys: readonly ItemKey[],
): Promise<Item[]> {
  const items: Item[] = [];
  let remaining: Item[] = [...keys];
  while (remaining.length > 0) {
    const Keys = remaining.slice(0, maxBatchItems);
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys, ConsistentRead: true } } }),
    );
    items.push(...(Responses?.[tableName] ?? []));
    const unprocessed = UnprocessedKeys?.[tableName]?.Keys ?? [];
    remaining = [...unprocessed, ...remaining.slice(maxBatchItems)];
    // DynamoDB left them out because of its limits.
    if (unprocessed.length > 0) await wait(Math.random() * maxRetryDelayMs);
  }
  return items;
}
