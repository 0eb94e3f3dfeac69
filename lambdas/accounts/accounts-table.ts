/** The Accounts table, and how its items are read. */
import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

export interface AccountsTable {
  client: DynamoDBDocumentClient;
  tableName: string;
}

export type ItemKey = Record<'pk' | 'sk', string>;

/** Strongly consistent: all items of a partition whose sort key begins with `prefix`, in the order of the sort key. */
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

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
