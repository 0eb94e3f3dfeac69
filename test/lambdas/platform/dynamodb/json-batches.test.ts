/** The exact requests to DynamoDB, and what is repeated. */
import { afterEach, expect, it } from 'vitest';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createJsonTableBatches } from '#lambdas/platform/dynamodb/json-batches.ts';
import {
  awsAccessAt,
  respondWith,
  type ScriptedService,
  startScriptedService,
} from '#test/support/aws/scripted-service.ts';

let service: ScriptedService;
afterEach(() => service.stop());

const batches = () => {
  const access = awsAccessAt(service.endpoint);
  const dynamodb = createJsonService({ service: 'dynamodb', access, now: () => new Date() });
  return createJsonTableBatches(dynamodb);
};
const sent = () =>
  service.requests.map(({ headers, body }) => [headers['x-amz-target'], JSON.parse(body).RequestItems]);
const keyOf = (id: string) => ({ id: { S: id } });

it('Items are read consistently, and what DynamoDB has left out is read again', async () => {
  service = await startScriptedService(
    respondWith(
      200,
      '{"Responses":{"T":[{"id":{"S":"a"},"n":{"N":"1"}}]},"UnprocessedKeys":{"T":{"Keys":[{"id":{"S":"b"}}],"ConsistentRead":true}}}',
    ),
    respondWith(200, '{"Responses":{"T":[{"id":{"S":"b"}}]},"UnprocessedKeys":{}}'),
  );

  const items = await batches().get('T', [{ id: 'a' }, { id: 'b' }], 2000);

  expect(items).toEqual([{ id: 'a', n: 1 }, { id: 'b' }]);
  expect(sent()).toEqual([
    ['DynamoDB_20120810.BatchGetItem', { T: { Keys: [keyOf('a'), keyOf('b')], ConsistentRead: true } }],
    ['DynamoDB_20120810.BatchGetItem', { T: { Keys: [keyOf('b')], ConsistentRead: true } }],
  ]);
});

it('Items are written, and what DynamoDB has left out is written again', async () => {
  const put = (id: string) => ({ PutRequest: { Item: keyOf(id) } });
  service = await startScriptedService(
    respondWith(200, JSON.stringify({ UnprocessedItems: { T: [put('b')] } })),
    respondWith(200, '{"UnprocessedItems":{}}'),
  );

  await batches().put('T', [{ id: 'a' }, { id: 'b' }], 2000);

  expect(sent()).toEqual([
    ['DynamoDB_20120810.BatchWriteItem', { T: [put('a'), put('b')] }],
    ['DynamoDB_20120810.BatchWriteItem', { T: [put('b')] }],
  ]);
});

it('Batches have at most 100 keys and 25 items', async () => {
  service = await startScriptedService(respondWith(200, '{}'));
  const keys = Array.from({ length: 101 }, (_, index) => ({ id: String(index) }));

  await batches().get('T', keys, 2000);
  await batches().put('T', keys, 2000);

  const sizes = sent().map(([, items]) => (items.T.Keys ?? items.T).length);
  expect(sizes.toSorted((left, right) => left - right)).toEqual([1, 1, 25, 25, 25, 25, 100]);
});

it('What is left out again and again is an error of throttling', async () => {
  service = await startScriptedService(
    respondWith(200, JSON.stringify({ UnprocessedKeys: { T: { Keys: [keyOf('a')] } } })),
  );

  await expect(batches().get('T', [{ id: 'a' }], 2000)).rejects.toMatchObject({
    name: 'ThrottlingException',
  });
  expect(service.requests).toHaveLength(5);
});

it('No items need no call', async () => {
  service = await startScriptedService(respondWith(500, ''));

  expect(await batches().get('T', [], 2000)).toEqual([]);
  await batches().put('T', [], 2000);

  expect(service.requests).toEqual([]);
});
