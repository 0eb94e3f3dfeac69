/** Tests both implementations of `TableCalls` on the same table, since they must behave the same. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isTransient } from '#lambdas/platform/aws/errors.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import { createDocumentClient, createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { ConditionFailedError, type TableCalls } from '#lambdas/platform/dynamodb/table.ts';
import { awsAccessAt } from '#test/support/aws/scripted-service.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { startSilentService } from '#test/support/http/silent-service.ts';

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
const options = { condition: absent, timeoutMs: 5000 };
const failureOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);
let keys = 0;
const unusedKey = () => ({ pk: `key-${keys++}`, sk: 'Grüße 🙂' });

describe.each<[string, (endpoint: string) => TableCalls]>([
  [
    'the JSON protocol',
    (endpoint) =>
      createJsonTableCalls(
        createJsonService({ service: 'dynamodb', access: awsAccessAt(endpoint), now: () => new Date() }),
      ),
  ],
  [
    'the AWS SDK',
    (endpoint) => {
      const { region, credentials } = awsAccessAt(endpoint);
      const client = new DynamoDBClient({ endpoint, region, credentials });
      cleanups.push(() => client.destroy());
      return createSdkTableCalls(createDocumentClient(client));
    },
  ],
])('TableCalls with %s', (_, callsAt) => {
  it('names the call in its errors', async () => {
    const calls = callsAt(database.endpoint);

    expect(await failureOf(calls.get('no-such-table', unusedKey()))).toMatchObject({
      name: 'ResourceNotFoundException',
      call: 'dynamodb.GetItem',
    });
    expect(await failureOf(calls.put('no-such-table', unusedKey(), options))).toMatchObject({
      call: 'dynamodb.PutItem',
    });
  });

  it('returns null for a missing item', async () => {
    expect(await callsAt(database.endpoint).get(tableName, unusedKey())).toBeNull();
  });

  it('returns the item that was put, with integers, decimals and booleans', async () => {
    const calls = callsAt(database.endpoint);
    const key = unusedKey();
    await calls.put(
      tableName,
      { ...key, count: 42, cost: 0.1, large: NumberValue.from('1e20'), live: true },
      options,
    );

    expect(await calls.get(tableName, key)).toEqual({
      ...key,
      count: 42,
      cost: '0.1',
      large: '100000000000000000000',
      live: true,
    });
  });

  it('rejects with the existing item when the condition fails, and does not change it', async () => {
    const calls = callsAt(database.endpoint);
    const key = unusedKey();
    await calls.put(tableName, { ...key, cost: 0.1, count: 1 }, options);
    const failure = await failureOf(calls.put(tableName, { ...key, count: 2 }, options));

    expect(failure).toBeInstanceOf(ConditionFailedError);
    expect(failure).toMatchObject({ item: { ...key, cost: '0.1', count: 1 } });
    expect(await calls.get(tableName, key)).toMatchObject({ count: 1 });
  });

  it('rejects with an empty item when the condition requires an item and there is none', async () => {
    const condition = { ConditionExpression: 'attribute_exists(pk)' };
    const put = callsAt(database.endpoint).put(tableName, unusedKey(), { condition, timeoutMs: 5000 });

    expect(await failureOf(put)).toEqual(new ConditionFailedError({}));
  });

  it('replaces an item when a condition with attribute names and values holds', async () => {
    const calls = callsAt(database.endpoint);
    const key = unusedKey();
    await calls.put(tableName, { ...key, outcome: 'interrupted', written: 7 }, options);
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

  it('rejects invalid requests with errors that are not transient', async () => {
    const calls = callsAt(database.endpoint);
    const failures = [
      await failureOf(calls.get('NoTable', unusedKey())),
      await failureOf(calls.put('NoTable', unusedKey(), options)),
      await failureOf(calls.get(tableName, { pk: 'without the other part' })),
      await failureOf(calls.put(tableName, { ...unusedKey(), count: Number.NaN }, options)),
    ];

    expect(failures.map(isTransient)).toEqual([false, false, false, false]);
    expect(failures.slice(0, 3)).toMatchObject([
      { name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 400 } },
      { name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 400 } },
      { name: 'ValidationException', $metadata: { httpStatusCode: 400 } },
    ]);
  });

  it('rejects a put that exceeds its timeout', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const service = await startSilentService();
    cleanups.push(service.stop);
    const put = callsAt(service.endpoint).put('Table', unusedKey(), { condition: absent, timeoutMs: 50 });

    await expect(put).rejects.toMatchObject({ name: expect.stringMatching(/^(TimeoutError|AbortError)$/) });
    expect(service.requests()).toBeLessThan(2);
  });

  it.each([0, -1])('rejects a put with a timeout of %d ms', async (timeoutMs) => {
    const service = await startSilentService();
    cleanups.push(service.stop);
    const put = callsAt(service.endpoint).put('Table', unusedKey(), { condition: absent, timeoutMs });

    await expect(put).rejects.toMatchObject({ name: expect.stringMatching(/^(TimeoutError|AbortError)$/) });
  });
});
