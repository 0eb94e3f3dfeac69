import { describe, expect, it } from 'vitest';
import { requiredGrants } from '#local/aws/dynamodb/required-grants.ts';

const arns = {
  tableArn: (name: string) => (name === 'T' || name === 'U' ? `arn:${name}` : undefined),
  streamArnOfIterator: (iterator: string) => (iterator === 'i' ? 'arn:T/stream/1' : undefined),
};

const grants = (operation: string, body: Record<string, unknown>) =>
  requiredGrants({ operation, body, arns });

describe('requiredGrants', () => {
  it.each([
    ['GetItem', { TableName: 'T' }, ['dynamodb:GetItem arn:T']],
    ['GetItem', { TableName: 'arn:T' }, ['dynamodb:GetItem arn:T']],
    ['PutItem', { TableName: 'missing' }, ['dynamodb:PutItem arn:aws:dynamodb:::table/missing']],
    ['UpdateItem', { TableName: 'T' }, ['dynamodb:UpdateItem arn:T']],
    ['Query', { TableName: 'T' }, ['dynamodb:Query arn:T']],
    ['Query', { TableName: 'T', IndexName: 'I' }, ['dynamodb:Query arn:T/index/I']],
    ['Scan', { TableName: 'T', IndexName: 'I' }, ['dynamodb:Scan arn:T/index/I']],
    [
      'BatchGetItem',
      { RequestItems: { T: {}, U: {} } },
      ['dynamodb:BatchGetItem arn:T', 'dynamodb:BatchGetItem arn:U'],
    ],
    [
      'TransactWriteItems',
      {
        TransactItems: [
          { Put: { TableName: 'T' } },
          { ConditionCheck: { TableName: 'U' } },
          { Update: { TableName: 'T' } },
          { Update: { TableName: 'U' } },
          { Delete: { TableName: 'T' } },
        ],
      },
      [
        'dynamodb:PutItem arn:T',
        'dynamodb:ConditionCheckItem arn:U',
        'dynamodb:UpdateItem arn:T',
        'dynamodb:UpdateItem arn:U',
        'dynamodb:DeleteItem arn:T',
      ],
    ],
    ['TransactGetItems', { TransactItems: [{ Get: { TableName: 'T' } }] }, ['dynamodb:GetItem arn:T']],
    ['ListStreams', {}, ['dynamodb:ListStreams *']],
    ['GetShardIterator', { StreamArn: 'arn:T/stream/1' }, ['dynamodb:GetShardIterator arn:T/stream/1']],
    ['GetRecords', { ShardIterator: 'i' }, ['dynamodb:GetRecords arn:T/stream/1']],
    ['GetRecords', { ShardIterator: 'forged' }, ['dynamodb:GetRecords an unknown stream']],
  ])('returns the grants for %s with %j', (operation, body, expected) => {
    expect(grants(operation, body)?.map(({ action, resource }) => `${action} ${resource}`)).toEqual(expected);
  });

  it('returns undefined for an unsupported operation', () => {
    expect(grants('ExecuteStatement', { Statement: 'SELECT * FROM T' })).toBeUndefined();
  });
});
