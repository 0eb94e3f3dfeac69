import { expect, it } from 'vitest';
import { isRead, isThrottled, tablesOf } from './table-metrics.ts';

it('finds the tables of single operations, batches and transactions', () => {
  const arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Keys';
  const part = (TableName: string) => ({ TableName });
  const transaction = [{ Put: part('Keys') }, { Update: part('Budgets') }, { Put: part('Keys') }];

  expect(tablesOf({ TableName: arn })).toEqual(['Keys']);
  expect(tablesOf({ RequestItems: { Keys: {}, Budgets: {} } })).toEqual(['Keys', 'Budgets']);
  expect(tablesOf({ TransactItems: transaction })).toEqual(['Keys', 'Budgets']);
  expect(tablesOf({ StreamArn: `${arn}/stream/1` })).toEqual([]);
});

it('tells reads from writes, and throttling from other errors', () => {
  const throttled = (type: string) => isThrottled(JSON.stringify({ __type: type }));

  expect(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems'].every(isRead)).toBe(true);
  expect(['PutItem', 'UpdateItem', 'BatchWriteItem', 'TransactWriteItems'].some(isRead)).toBe(false);
  expect(throttled('com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException')).toBe(true);
  expect(throttled('com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException')).toBe(false);
  expect(isThrottled('<html>')).toBe(false);
});
