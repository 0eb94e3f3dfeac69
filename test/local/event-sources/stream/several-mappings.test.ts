/** Two mappings to one function: of the fixture's table `Events`, and of a table whose stream has only keys. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { writeAssemblyFixture } from '#test/local/assembly-fixture.ts';
import {
  type InvocationQueue,
  type PendingCall,
  startInvocationQueue,
} from '#test/local/invocation-queue.ts';

const streamArn = (table: string) => ({ 'Fn::GetAtt': [table, 'StreamArn'] });

const resources = {
  Items: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      StreamSpecification: { StreamViewType: 'KEYS_ONLY' },
    },
  },
  ItemsMapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: streamArn('Items'),
      FunctionName: { Ref: 'Consumer' },
      StartingPosition: 'TRIM_HORIZON',
      FilterCriteria: {
        Filters: [
          {
            Pattern: '{"dynamodb":{"Keys":{"pk":{"S":["budget#1","budget#processed","budget#unfinished"]}}}}',
          },
        ],
      },
    },
  },
  ConsumerPolicy: {
    Type: 'AWS::IAM::Policy',
    Properties: {
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Allow',
            Action: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
            Resource: [streamArn('Events'), streamArn('Items')],
          },
          { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] } },
        ],
      },
      Roles: [{ Ref: 'ConsumerRole' }],
    },
  },
};

type Invocation = PendingCall<DynamoDBStreamEvent>;

let invocations: InvocationQueue<DynamoDBStreamEvent>;
let dataDirectory: string;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  invocations = await startInvocationQueue();
  dataDirectory = mkdtempSync(join(tmpdir(), 'gateway-'));
  cleanups.push(invocations.stop, () => rmSync(dataDirectory, { recursive: true }));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(): Promise<LocalGateway> {
  const assemblyDirectory = writeAssemblyFixture({ testUrl: invocations.url, resources });
  const gateway = await startLocalGateway({
    assemblyDirectory,
    dataDirectory,
    port: 0,
    environment: { PATH: process.env.PATH },
  });
  cleanups.push(() => rmSync(assemblyDirectory, { recursive: true }), gateway.stop);
  return gateway;
}

function databaseOf({ connection }: LocalGateway): DynamoDBClient {
  const client = new DynamoDBClient({
    endpoint: connection.dynamodb_endpoint,
    region: connection.region,
    credentials: { accessKeyId: 'local-admin', secretAccessKey: 'any' },
  });
  cleanups.push(() => client.destroy());
  return client;
}

const putEvent = (id: string) => new PutItemCommand({ TableName: 'Fixture-Events', Item: { id: { S: id } } });
const itemKey = (pk: string) => ({ pk: { S: pk }, sk: { S: 'budget' } });
const putItem = (pk: string) =>
  new PutItemCommand({ TableName: 'Fixture-Items', Item: { ...itemKey(pk), amount: { N: '1' } } });

/** Receives one invocation of each mapping, which may arrive in either order. */
async function nextOfBoth(): Promise<{ events: Invocation; items: Invocation }> {
  const received = [await invocations.next(), await invocations.next()];
  const of = (table: string) => {
    const found = received.find(({ message: { Records } }) => Records[0]?.eventSourceARN?.includes(table));
    if (found === undefined) throw new Error(`There was no invocation for ${table}`);
    return found;
  };
  return { events: of('Fixture-Events/'), items: of('Fixture-Items/') };
}

const keysOf = ({ message }: Invocation) => message.Records.map(({ dynamodb }) => dynamodb?.Keys);

it('delivers the records of each stream by the filter of its mapping', async () => {
  const database = databaseOf(await start());
  await database.send(putEvent('a'));
  await database.send(putItem('key#1'));
  await database.send(putItem('budget#1'));
  const first = await nextOfBoth();
  first.events.respond({});
  first.items.respond({});
  await database.send(new DeleteItemCommand({ TableName: 'Fixture-Items', Key: itemKey('budget#1') }));
  const removal = await invocations.next();
  removal.respond({});

  expect(keysOf(first.events)).toEqual([{ id: { S: 'a' } }]);
  expect(first.items.message).toEqual({
    Records: [
      {
        eventID: expect.any(String),
        eventName: 'INSERT',
        eventVersion: '1.1',
        eventSource: 'aws:dynamodb',
        awsRegion: 'us-east-1',
        dynamodb: {
          ApproximateCreationDateTime: expect.any(Number),
          Keys: itemKey('budget#1'),
          SequenceNumber: expect.stringMatching(/^\d+$/),
          SizeBytes: expect.any(Number),
          StreamViewType: 'KEYS_ONLY',
        },
        eventSourceARN: expect.stringContaining('table/Fixture-Items/stream/'),
      },
    ],
  });
  expect(removal.message.Records).toMatchObject([
    { eventName: 'REMOVE', dynamodb: { Keys: itemKey('budget#1') } },
  ]);
});

it('delivers the records of a stream while those of the other one fail', async () => {
  const database = databaseOf(await start());
  await database.send(putEvent('a'));
  const failing = await invocations.next();
  await database.send(putItem('budget#1'));
  const item = await invocations.next();
  item.respond({});
  failing.respond({ error: 'no' });
  const retry = await invocations.next();
  retry.respond({});

  expect(keysOf(item)).toEqual([itemKey('budget#1')]);
  expect(keysOf(retry)).toEqual([{ id: { S: 'a' } }]);
});

it('continues both streams after a restart, each with its first unprocessed record', async () => {
  const before = await start();
  const database = databaseOf(before);
  // Its sequence number is not delivered, so the sequence numbers of the tables differ.
  await database.send(putItem('key#1'));
  await database.send(putEvent('processed'));
  await database.send(putItem('budget#processed'));
  const processed = await nextOfBoth();
  processed.events.respond({});
  processed.items.respond({});
  await database.send(putEvent('unfinished'));
  await database.send(putItem('budget#unfinished'));
  await nextOfBoth();
  await before.stop();
  const positions = JSON.parse(readFileSync(join(dataDirectory, 'stream-positions.json'), 'utf8'));
  await start();
  const resumed = await nextOfBoth();
  resumed.events.respond({});
  resumed.items.respond({});

  expect(
    Object.entries<object>(positions)
      .map(([key, position]) => [key.split(' ')[0], position])
      .sort(),
  ).toEqual([
    ['ItemsMapping', { sequenceNumber: '2' }],
    ['Mapping', { sequenceNumber: '1' }],
  ]);
  expect(keysOf(resumed.events)).toEqual([{ id: { S: 'unfinished' } }]);
  expect(keysOf(resumed.items)).toEqual([itemKey('budget#unfinished')]);
});
