/** The exact requests to DynamoDB. Their results are tested in `table.test.ts`. */
import { afterEach, expect, it } from 'vitest';
import {
  respondWith,
  type ScriptedService,
  startScriptedService,
} from '#test/support/aws/scripted-service.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';

let service: ScriptedService;
afterEach(() => service.stop());

it('reads with strong consistency', async () => {
  service = await startScriptedService(respondWith(200, '{"Item":{"pk":{"S":"1"}}}'));

  expect(await tableCallsAt(service.endpoint).get('Directory', { pk: '1', sk: 'key' })).toEqual({ pk: '1' });
  expect(service.requests.map(({ body }) => body)).toEqual([
    '{"TableName":"Directory","Key":{"pk":{"S":"1"},"sk":{"S":"key"}},"ConsistentRead":true}',
  ]);
});

it('puts with a condition and requests the existing item when the condition fails', async () => {
  service = await startScriptedService(respondWith(200, '{}'));
  const condition = {
    ConditionExpression: '#a = :a',
    ExpressionAttributeNames: { '#a': 'a' },
    ExpressionAttributeValues: { ':a': 1 },
  };
  const calls = tableCallsAt(service.endpoint);
  await calls.put('LogEntries', { id: 'x', ok: true }, { condition, timeoutMs: 5000 });
  await calls.put(
    'LogEntries',
    { id: 'x' },
    { condition: { ConditionExpression: 'attribute_not_exists(id)' }, timeoutMs: 5000 },
  );

  expect(service.requests.map(({ body }) => body)).toEqual([
    '{"TableName":"LogEntries","Item":{"id":{"S":"x"},"ok":{"BOOL":true}},"ConditionExpression":"#a = :a","ExpressionAttributeNames":{"#a":"a"},"ReturnValuesOnConditionCheckFailure":"ALL_OLD","ExpressionAttributeValues":{":a":{"N":"1"}}}',
    '{"TableName":"LogEntries","Item":{"id":{"S":"x"}},"ConditionExpression":"attribute_not_exists(id)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}',
  ]);
});
