/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
import { setTimeout as wait } from 'node:timers/promises';
import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { chunksOf, forEachConcurrently } from '../concurrency.ts';
import type { Item } from './table.ts';

/** The limit of `BatchGetItem`. */
const maxBatchItems = 100;
const maxConcurrentBatches = 10;
const maxRetryDelayMs = 50;

/** The items that exist, in any order. Strongly consistent. The keys must be distinct. */
export async function batchGet(
  table: { client: DynamoDBDocumentClient; tableName: string },
  keys: readonly Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  await forEachConcurrently(chunksOf(keys, maxBatchItems), maxConcurrentBatches, async (batch) => {
    items.push(...(await readBatch(table, batch)));
  });
  return items;
}

async function readBatch(
  { client, tableName }: { client: DynamoDBDocumentClient; tableName: string },
  keys: readonly Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  let remaining: Item[] = [...keys];
  while (remaining.length > 0) {
    const { Responses = {}, UnprocessedKeys = {} } = await client.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: remaining, ConsistentRead: true } } }),
    );
    items.push(...(Responses[tableName] ?? []));
    remaining = UnprocessedKeys[tableName]?.Keys ?? [];
    // DynamoDB left them out because of its limits.
    if (remaining.length > 0) await wait(Math.random() * maxRetryDelayMs);
  }
  return items;
}
