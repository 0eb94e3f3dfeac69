/** The exact requests to DynamoDB. The results of hard budgets' updates are tested in `limits/reserve.test.ts`. */
import { afterEach, expect, it } from 'vitest';
import { ServiceError } from '#lambdas/platform/aws/errors.ts';
import { ConditionFailedError, type UpdateOptions } from '#lambdas/platform/dynamodb/table.ts';
import {
  closeConnection,
  respondWith,
  type ScriptedService,
  startScriptedService,
} from '#test/support/aws/scripted-service.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';

const options: UpdateOptions = {
  UpdateExpression: 'SET #room = if_not_exists(#room, limit_day) - :usd',
  condition: {
    ConditionExpression: 'id = :id AND #room >= :usd',
    ExpressionAttributeNames: { '#room': 'room_2026-11-23' },
    ExpressionAttributeValues: { ':id': 'counter', ':usd': 2 },
  },
  timeoutMs: 2000,
  retries: 'any',
};

let service: ScriptedService;
afterEach(() => service.stop());

const update = (changes: Partial<UpdateOptions> = {}) =>
  tableCallsAt(service.endpoint).update(
    'BudgetCounters',
    { counter_key: 'org/0' },
    { ...options, ...changes },
  );

it('updates with a condition and requests the existing item when the condition fails', async () => {
  service = await startScriptedService(respondWith(200, '{}'));

  await update();

  expect(service.requests.map(({ headers, body }) => [headers['x-amz-target'], body])).toEqual([
    [
      'DynamoDB_20120810.UpdateItem',
      '{"TableName":"BudgetCounters","Key":{"counter_key":{"S":"org/0"}},"UpdateExpression":"SET #room = if_not_exists(#room, limit_day) - :usd","ConditionExpression":"id = :id AND #room >= :usd","ExpressionAttributeNames":{"#room":"room_2026-11-23"},"ReturnValuesOnConditionCheckFailure":"ALL_OLD","ExpressionAttributeValues":{":id":{"S":"counter"},":usd":{"N":"2"}}}',
    ],
  ]);
});

it.each([
  [
    'the existing item',
    ',"Item":{"id":{"S":"other"},"limit_day":{"N":"0.000000000001"}}',
    { id: 'other', limit_day: '0.000000000001' },
  ],
  ['no item', '', {}],
])('rejects with %s when the condition fails', async (_, member, item) => {
  const type = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException';
  service = await startScriptedService(respondWith(400, `{"__type":"${type}"${member}}`));

  const error: unknown = await update().catch((reason) => reason);

  expect(error).toEqual(new ConditionFailedError(item));
  expect(error).toMatchObject({ item });
  expect(service.requests).toHaveLength(1);
});

it('is not repeated after a lost response if only throttled updates may be', async () => {
  service = await startScriptedService(closeConnection, respondWith(200, '{}'));

  await expect(update({ retries: 'throttled' })).rejects.toThrow(ServiceError);
  expect(service.requests).toHaveLength(1);
});
