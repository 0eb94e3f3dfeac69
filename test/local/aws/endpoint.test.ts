/** Calls the local AWS endpoint with the AWS SDK, on the embedded engines. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import {
  DeleteMessageBatchCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendAwsJson } from '#local/aws/call.ts';
import { createDynamoDbProxy } from '#local/aws/dynamodb/proxy.ts';
import { createSecretsManager } from '#local/aws/secrets-manager.ts';
import { startQueueEngine } from '#local/aws/sqs/engine.ts';
import { createSqsProxy } from '#local/aws/sqs/proxy.ts';
import { ensureQueues } from '#local/aws/sqs/queues.ts';
import { openHttpListener } from '#local/listeners/http-listener.ts';
import { createProviderOverlay } from '#local/providers/provider-overlay.ts';
import { ensureTable } from '#local/template/tables.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createEndpointFixture } from './endpoint-fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'aws-'));
const secretsFile = join(directory, 'secrets.json');
const secretArn = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:Providers-local0';
const queueArn = 'arn:aws:sqs:us-east-1:000000000000:Waiting';
const cleanups: (() => unknown)[] = [];
let engine: EmbeddedDynamoDB;
let endpoint: string;
let queueUrl: string;

beforeAll(async () => {
  engine = await startEmbeddedDynamoDB();
  const overlay = createProviderOverlay({
    providersJson: '{}',
    secretJson: '{}',
    environment: { OPENAI_API_KEY: 'sk-environment' },
  });
  const table = await ensureTable({
    client: engine.client,
    resource: { logicalId: 'Items', type: 'AWS::DynamoDB::Table', properties: {} },
    properties: itemsTable('id'),
    defaultName: 'Items',
  });
  const dynamoDb = createDynamoDbProxy({
    engineEndpoint: engine.endpoint,
    observe: () => {},
    tableArn: (name) => (name === table.name ? table.arn : undefined),
  });
  const listener = await openHttpListener(0);
  queueUrl = `${listener.origin}/000000000000/Waiting`;
  const queueEngine = await startQueueEngine({
    dataDirectory: undefined,
    environment: {},
    region: 'us-east-1',
  });
  const queues = await ensureQueues({
    definitions: [{ name: 'Waiting', arn: queueArn, url: queueUrl, properties: {} }],
    engineEndpoint: queueEngine.endpoint,
    region: 'us-east-1',
  });
  const sqs = createSqsProxy({ engineEndpoint: queueEngine.endpoint, queues: queues.all });
  listener.serve(
    createEndpointFixture({
      callers: {
        reader: [
          { actions: ['dynamodb:GetItem'], resources: [table.arn] },
          { actions: ['sqs:SendMessage'], resources: [queueArn] },
        ],
      },
      dynamoDb,
      sqs,
      secretsManager: createSecretsManager(
        [{ name: 'Providers', arn: secretArn, initialValue: '{}', overlay: overlay.credentials }],
        secretsFile,
      ),
      userPool: { handle: async ({ operation, response }) => sendAwsJson(response, { operation }) },
    }),
  );
  endpoint = listener.origin;
  cleanups.push(engine.stop, queueEngine.stop, queues.close, sqs.close, dynamoDb.close, listener.close, () =>
    rmSync(directory, { recursive: true }),
  );
});

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

function itemsTable(key: string) {
  return {
    AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
    KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
  };
}

function clientOf<Client extends { destroy(): void }>(
  Client: new (settings: object) => Client,
  accessKeyId: string,
): Client {
  const credentials = { accessKeyId, secretAccessKey: 'any' };
  const client = new Client({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  cleanups.push(() => client.destroy());
  return client;
}

describe('DynamoDB calls', () => {
  const item = { id: { S: '1' }, text: { S: 'é' } };

  it('allows the administrator every call, and a function the calls that its role grants', async () => {
    const administrator = clientOf(DynamoDBClient, 'local-admin');
    const reader = clientOf(DynamoDBClient, 'reader');
    await administrator.send(new PutItemCommand({ TableName: 'Items', Item: item }));
    const read = await reader.send(new GetItemCommand({ TableName: 'Items', Key: { id: { S: '1' } } }));
    const write = reader.send(new PutItemCommand({ TableName: 'Items', Item: item }));

    expect(read.Item).toEqual(item);
    await expect(write).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('Reader is not authorized to perform: dynamodb:PutItem'),
    });
  });

  it('rejects an unknown access key', async () => {
    const unknown = clientOf(DynamoDBClient, 'unknown');

    await expect(unknown.send(new ListTablesCommand({}))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
      message: expect.stringContaining('local-admin'),
    });
  });
});

describe('SQS calls', () => {
  const receive = () => new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 });
  const bodiesIn = async (client: SQSClient) => {
    const { Messages = [] } = await client.send(receive());
    if (Messages.length === 0) return [];
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    return Messages.map(({ Body }) => Body);
  };

  it('allows the administrator every call, and a function the calls that its role grants', async () => {
    const administrator = clientOf(SQSClient, 'local-admin');
    const reader = clientOf(SQSClient, 'reader');
    await reader.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'one' }));
    const Entries = [{ Id: '2', MessageBody: 'two' }];
    await reader.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    const refused = reader.send(receive());

    await expect(refused).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining(
        `Reader is not authorized to perform: sqs:ReceiveMessage on resource: ${queueArn} because`,
      ),
    });
    expect(await bodiesIn(administrator)).toEqual(['one', 'two']);
  });

  it('accepts only queue URLs of the local AWS endpoint', async () => {
    const administrator = clientOf(SQSClient, 'local-admin');
    const found = await administrator.send(new GetQueueUrlCommand({ QueueName: 'Waiting' }));
    const QueueUrl = queueUrl.replace('000000000000', '111111111111');
    const other = administrator.send(new SendMessageCommand({ QueueUrl, MessageBody: 'one' }));

    expect(found.QueueUrl).toBe(queueUrl);
    await expect(other).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  });

  it('does not deliver a message to a long-polling caller that has disconnected', async () => {
    const administrator = clientOf(SQSClient, 'local-admin');
    const controller = new AbortController();
    const waiting = new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds: 20 });
    const aborted = administrator.send(waiting, { abortSignal: controller.signal });
    // Two complete exchanges, after which earlier requests and disconnects have reached the engine.
    const exchanges = async () => [await bodiesIn(administrator), await bodiesIn(administrator)];
    await exchanges();
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    await exchanges();
    await administrator.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'one' }));

    expect(await bodiesIn(administrator)).toEqual(['one']);
  });

  it('returns an error for an unsupported SQS operation', async () => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'AmazonSQS.DeleteQueue' },
      body: '{}',
    });

    expect(await response.json()).toMatchObject({
      message: 'The local run does not emulate sqs:DeleteQueue',
    });
  });
});

describe('Unsupported AWS services', () => {
  it('returns UnknownOperationException for a service that is not emulated', async () => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'Kinesis_20131202.PutRecord' },
      body: '{}',
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      __type: 'UnknownOperationException',
      message: 'The local run does not emulate Kinesis_20131202.PutRecord',
    });
  });
});

describe('Secrets Manager calls', () => {
  it('overlays the secret with the credentials of the environment and does not store them', async () => {
    const client = clientOf(SecretsManagerClient, 'local-admin');
    const before = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));
    const written = { ...JSON.parse(before.SecretString ?? ''), groq: { api_key: 'gsk-stored' } };
    await client.send(
      new PutSecretValueCommand({ SecretId: 'Providers', SecretString: JSON.stringify(written) }),
    );
    const after = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));

    expect(JSON.parse(before.SecretString ?? '')).toEqual({ openai: { api_key: 'sk-environment' } });
    expect(JSON.parse(after.SecretString ?? '')).toEqual({
      openai: { api_key: 'sk-environment' },
      groq: { api_key: 'gsk-stored' },
    });
    expect(after.VersionId).not.toBe(before.VersionId);
    expect(JSON.parse(readFileSync(secretsFile, 'utf8'))).toEqual({
      Providers: '{"groq":{"api_key":"gsk-stored"}}',
    });
    expect(statSync(secretsFile).mode & 0o777).toBe(0o600);
  });

  it('describes a secret and returns ResourceNotFoundException for others', async () => {
    const client = clientOf(SecretsManagerClient, 'local-admin');
    const described = await client.send(new DescribeSecretCommand({ SecretId: 'Providers' }));

    expect(described).toMatchObject({ ARN: secretArn, Name: 'Providers' });
    await expect(client.send(new DescribeSecretCommand({ SecretId: 'Other' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  it('rejects a function without permission to read the secret', async () => {
    const reader = clientOf(SecretsManagerClient, 'reader');

    await expect(reader.send(new GetSecretValueCommand({ SecretId: secretArn }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining(`secretsmanager:GetSecretValue on resource: ${secretArn}`),
    });
  });
});

describe('Cognito calls', () => {
  it('are handled by the user pool, also without a signature', async () => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'AWSCognitoIdentityProviderService.GetUser' },
      body: '{"AccessToken":"token"}',
    });

    expect(await response.json()).toEqual({ operation: 'GetUser' });
  });
});

describe('ensureTable', () => {
  const ensure = (properties: Record<string, unknown>) =>
    ensureTable({
      client: engine.client,
      resource: { logicalId: 'Kept', type: 'AWS::DynamoDB::Table', properties: {} },
      properties,
      defaultName: 'Kept',
    });

  it('keeps an existing table and rejects a changed schema', async () => {
    const first = await ensure(itemsTable('id'));
    await engine.client.send(new PutItemCommand({ TableName: 'Kept', Item: { id: { S: '1' } } }));
    const second = await ensure(itemsTable('id'));
    const stored = await engine.client.send(
      new GetItemCommand({ TableName: 'Kept', Key: { id: { S: '1' } } }),
    );

    expect(second).toEqual(first);
    expect(stored.Item).toEqual({ id: { S: '1' } });
    await expect(ensure(itemsTable('other'))).rejects.toThrow(
      'The schema of the table Kept has changed since its data was written: delete the data directory (.gateway) and restart',
    );
  });
});
