/** Both kinds of calls on the same table: who uses one or the other must not find a difference. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isTransient } from '#lambdas/platform/aws/errors.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import { createDocumentClient, createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { ConditionFailedError, type TableCalls } from '#lambdas/platform/dynamodb/table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { accessTo } from '#test/support/scripted-service.ts';
import { startSilentService } from '#test/support/silent-service.ts';
import { createTables } from '#test/support/tables.ts';

let database: EmbeddedDynamoDB;
let tableName: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tableName = (await createTables(database)).directory;
});
afterAll(() => database.stop());

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const absent = { ConditionExpression: 'attribute_not_exists(pk)' };
const limits = { condition: absent, timeoutMs: 5000 };
const failureOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);
let keys = 0;
/** Of an item that no other test knows. */
const newKey = () => ({ pk: `key-${keys++}`, sk: 'Grüße 🙂' });

describe.each<[string, (endpoint: string) => TableCalls]>([
  [
    'in its own JSON',
    (endpoint) =>
      createJsonTableCalls(
        createJsonService({ service: 'dynamodb', access: accessTo(endpoint), now: () => new Date() }),
      ),
  ],
  [
    'by the AWS SDK',
    (endpoint) => {
      const { region, credentials } = accessTo(endpoint);
      const client = new DynamoDBClient({ endpoint, region, credentials });
      cleanups.push(() => client.destroy());
      return createSdkTableCalls(createDocumentClient(client));
    },
  ],
])('DynamoDB, called %s', (_, callsAt) => {
  it('has no item that nobody has put', async () => {
    expect(await callsAt(database.endpoint).get(tableName, newKey())).toBeNull();
  });

  it('has the item that was put, with whole numbers, exact ones and truth values', async () => {
    const calls = callsAt(database.endpoint);
    const key = newKey();
    await calls.put(
      tableName,
      { ...key, count: 42, cost: 0.1, large: NumberValue.from('1e20'), live: true },
      limits,
    );

    expect(await calls.get(tableName, key)).toEqual({
      ...key,
      count: 42,
      cost: '0.1',
      large: '100000000000000000000',
      live: true,
    });
  });

  it('tells what is in the way, and leaves it as it is', async () => {
    const calls = callsAt(database.endpoint);
    const key = newKey();
    await calls.put(tableName, { ...key, cost: 0.1, count: 1 }, limits);
    const failure = await failureOf(calls.put(tableName, { ...key, count: 2 }, limits));

    expect(failure).toBeInstanceOf(ConditionFailedError);
    expect(failure).toMatchObject({ item: { ...key, cost: '0.1', count: 1 } });
    expect(await calls.get(tableName, key)).toMatchObject({ count: 1 });
  });

  it('tells of nothing in the way, where a condition needs something', async () => {
    const condition = { ConditionExpression: 'attribute_exists(pk)' };
    const put = callsAt(database.endpoint).put(tableName, newKey(), { condition, timeoutMs: 5000 });

    expect(await failureOf(put)).toEqual(new ConditionFailedError({}));
  });

  it('takes the place of what is as the condition says, by names and values', async () => {
    const calls = callsAt(database.endpoint);
    const key = newKey();
    await calls.put(tableName, { ...key, outcome: 'interrupted', written: 7 }, limits);
    const ifWritten = (written: number) => ({
      condition: {
        ConditionExpression: 'outcome = :outcome AND #written = :written',
        ExpressionAttributeNames: { '#written': 'written' },
        ExpressionAttributeValues: { ':outcome': 'interrupted', ':written': written },
      },
      timeoutMs: 5000,
    });
    const refused = await failureOf(calls.put(tableName, { ...key, outcome: 'one' }, ifWritten(8)));
    await calls.put(tableName, { ...key, outcome: 'other' }, ifWritten(7));

    expect(refused).toMatchObject({ item: { outcome: 'interrupted', written: 7 } });
    expect(await calls.get(tableName, key)).toEqual({ ...key, outcome: 'other' });
  });

  it('refuses what is wrong, and that is no reason to ask again', async () => {
    const calls = callsAt(database.endpoint);
    const failures = [
      await failureOf(calls.get('NoTable', newKey())),
      await failureOf(calls.put('NoTable', newKey(), limits)),
      await failureOf(calls.get(tableName, { pk: 'without the other part' })),
      await failureOf(calls.put(tableName, { ...newKey(), count: Number.NaN }, limits)),
    ];

    expect(failures.map(isTransient)).toEqual([false, false, false, false]);
    expect(failures.slice(0, 3)).toMatchObject([
      { name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 400 } },
      { name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 400 } },
      { name: 'ValidationException', $metadata: { httpStatusCode: 400 } },
    ]);
  });

  it('is given up when a put takes longer than it may', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const service = await startSilentService();
    cleanups.push(service.stop);
    const put = callsAt(service.endpoint).put('Table', newKey(), { condition: absent, timeoutMs: 50 });

    await expect(put).rejects.toMatchObject({ name: expect.stringMatching(/^(TimeoutError|AbortError)$/) });
    expect(service.requests()).toBeLessThan(2);
  });

  it.each([0, -1])('is given up when there are %d ms left for a put', async (timeoutMs) => {
    const service = await startSilentService();
    cleanups.push(service.stop);
    const put = callsAt(service.endpoint).put('Table', newKey(), { condition: absent, timeoutMs });

    await expect(put).rejects.toMatchObject({ name: expect.stringMatching(/^(TimeoutError|AbortError)$/) });
  });
});
