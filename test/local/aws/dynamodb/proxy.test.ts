/** Calls the proxy with the AWS SDK, on the embedded engine, as a function whose role grants some actions. */
import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbProxy } from '#local/aws/dynamodb/proxy.ts';
import { openHttpListener } from '#local/listeners/http-listener.ts';
import { ensureTable, type Table } from '#local/template/tables.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { tablesOf } from '#test/support/monitoring/table-metrics.ts';
import { createEndpointFixture } from '../endpoint-fixture.ts';

const cleanups: (() => unknown)[] = [];
let engine: EmbeddedDynamoDB;
let writer: DynamoDBClient;
const responded: unknown[] = [];

beforeAll(async () => {
  engine = await startEmbeddedDynamoDB();
  const keys = await createTable('Keys');
  const budgets = await createTable('Budgets');
  const tables = new Map([keys, budgets].map(({ name, arn }) => [name, arn]));
  const dynamoDb = createDynamoDbProxy({
    engineEndpoint: engine.endpoint,
    tableArn: (name) => tables.get(name),
    observe: (event) => {
      if (event.kind === 'DynamoDB responded') responded.push([event.operation, ...tablesOf(event.request)]);
    },
  });
  const listener = await openHttpListener(0);
  const allow = ({ arn }: Table, ...names: string[]) => ({
    actions: names.map((name) => `dynamodb:${name}`),
    resources: [arn],
  });
  const writerGrants = [
    allow(keys, 'ConditionCheckItem', 'PutItem', 'BatchGetItem'),
    allow(budgets, 'UpdateItem', 'BatchGetItem'),
  ];
  listener.serve(createEndpointFixture({ callers: { writer: writerGrants }, dynamoDb }));
  writer = new DynamoDBClient({
    endpoint: listener.origin,
    region: 'us-east-1',
    credentials: { accessKeyId: 'writer', secretAccessKey: 'any' },
    maxAttempts: 1,
  });
  cleanups.push(engine.stop, dynamoDb.close, listener.close, () => writer.destroy());
});

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

function createTable(name: string): Promise<Table> {
  return ensureTable({
    client: engine.client,
    resource: { logicalId: name, type: 'AWS::DynamoDB::Table', properties: {} },
    properties: {
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    },
    defaultName: name,
  });
}

const add = (TableName: string, id: string) => ({
  TableName,
  Key: { id: { S: id } },
  UpdateExpression: 'ADD spent :amount',
  ExpressionAttributeValues: { ':amount': { N: '1' } },
});

const put = (id: string) => ({ TableName: 'Keys', Item: { id: { S: id } } });

const transact = (...TransactItems: TransactWriteItem[]) =>
  writer.send(new TransactWriteItemsCommand({ TransactItems }));

async function stored(TableName: string, id: string): Promise<unknown> {
  const read = new GetItemCommand({ TableName, Key: { id: { S: id } }, ConsistentRead: true });
  return (await engine.client.send(read)).Item;
}

const denied = (action: string, table: string) => ({
  name: 'AccessDeniedException',
  message: expect.stringMatching(
    new RegExp(
      `Writer is not authorized to perform: dynamodb:${action} on resource: .*:table/${table} because`,
    ),
  ),
});

describe('TransactWriteItems', () => {
  it('requires the action of each part on the table of that part', async () => {
    await transact(
      {
        ConditionCheck: {
          TableName: 'Keys',
          Key: { id: { S: 'absent' } },
          ConditionExpression: 'attribute_not_exists(id)',
        },
      },
      { Put: put('1') },
      { Update: add('Budgets', '1') },
    );

    expect(responded).toEqual([['TransactWriteItems', 'Keys', 'Budgets']]);
    expect(await stored('Keys', '1')).toEqual({ id: { S: '1' } });
    expect(await stored('Budgets', '1')).toEqual({ id: { S: '1' }, spent: { N: '1' } });
  });

  it('writes nothing when one part is not granted', async () => {
    await expect(transact({ Put: put('2') }, { Update: add('Keys', '3') })).rejects.toMatchObject(
      denied('UpdateItem', 'Keys'),
    );
    await expect(
      transact(
        { Update: add('Budgets', '2') },
        {
          ConditionCheck: {
            TableName: 'Budgets',
            Key: { id: { S: '3' } },
            ConditionExpression: 'attribute_not_exists(id)',
          },
        },
      ),
    ).rejects.toMatchObject(denied('ConditionCheckItem', 'Budgets'));

    expect(await stored('Keys', '2')).toBe(undefined);
    expect(await stored('Budgets', '2')).toBe(undefined);
  });
});

describe('UpdateItem', () => {
  it('requires dynamodb:UpdateItem on the table', async () => {
    await writer.send(new UpdateItemCommand(add('Budgets', '4')));
    const update = writer.send(new UpdateItemCommand(add('Keys', '4')));

    await expect(update).rejects.toMatchObject(denied('UpdateItem', 'Keys'));
    expect(await stored('Budgets', '4')).toEqual({ id: { S: '4' }, spent: { N: '1' } });
  });
});

describe('BatchGetItem', () => {
  it('requires dynamodb:BatchGetItem on each of the tables', async () => {
    await engine.client.send(new UpdateItemCommand(add('Budgets', '5')));
    const Keys = [{ id: { S: '5' } }];
    const read = await writer.send(
      new BatchGetItemCommand({ RequestItems: { Keys: { Keys }, Budgets: { Keys } } }),
    );
    const other = writer.send(
      new BatchGetItemCommand({ RequestItems: { Budgets: { Keys }, Other: { Keys } } }),
    );

    expect(read.Responses).toEqual({ Keys: [], Budgets: [{ id: { S: '5' }, spent: { N: '1' } }] });
    await expect(other).rejects.toMatchObject(denied('BatchGetItem', 'Other'));
  });
});
