import { BatchGetCommand, BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';

const itemCount = 205;

let database: EmbeddedDynamoDB;
let tableName: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tableName = (await createTable(database.client, 'Items', { key: ['pk', 'sk'] })).name;
  const requests = Array.from({ length: itemCount }, (_, index) => ({ PutRequest: { Item: item(index) } }));
  for (let first = 0; first < itemCount; first += 25) {
    const RequestItems = { [tableName]: requests.slice(first, first + 25) };
    await database.documentClient.send(new BatchWriteCommand({ RequestItems }));
  }
});
afterAll(() => database.stop());

const key = (index: number) => ({ pk: 'items', sk: String(index) });
const item = (index: number) => ({ ...key(index), value: index });

it('reads more than 100 items with strong consistency, and again those that DynamoDB left out', async () => {
  const batches: { size: number; isConsistent: unknown }[] = [];
  // Leaves out all but 60 items of each call.
  const send = async ({ input }: BatchGetCommand) => {
    const request = input.RequestItems?.[tableName] ?? expect.fail();
    const keys = request.Keys ?? [];
    batches.push({ size: keys.length, isConsistent: request.ConsistentRead });
    const RequestItems = { [tableName]: { ...request, Keys: keys.slice(0, 60) } };
    const output = await database.documentClient.send(new BatchGetCommand({ RequestItems }));
    const left = keys.slice(60);
    return { ...output, UnprocessedKeys: left.length > 0 ? { [tableName]: { ...request, Keys: left } } : {} };
  };
  const client: DynamoDBDocumentClient = Object.assign(Object.create(database.documentClient), { send });
  const indexes = Array.from({ length: itemCount }, (_, index) => index);

  const items = await batchGet({ client, tableName }, indexes.map(key));

  expect(items.map(({ value }) => Number(value)).sort((a, b) => a - b)).toEqual(indexes);
  expect(batches.map(({ size }) => size).sort((a, b) => a - b)).toEqual([5, 40, 40, 100, 100]);
  expect(new Set(batches.map(({ isConsistent }) => isConsistent))).toEqual(new Set([true]));
});

it('leaves out items that do not exist, and reads nothing without keys', async () => {
  const table = { client: database.documentClient, tableName };

  expect(await batchGet(table, [key(itemCount), key(7)])).toEqual([item(7)]);
  expect(await batchGet(table, [])).toEqual([]);
});
