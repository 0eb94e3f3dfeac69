import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { writeAssemblyFixture } from '#test/local/assembly-fixture.ts';
import { type InvocationQueue, startInvocationQueue } from '#test/local/invocation-queue.ts';

type StreamEvent = DynamoDBStreamEvent & {
  window?: { start: string; end: string };
  state?: unknown;
  shardId?: string;
  isFinalInvokeForWindow?: boolean;
};

let invocations: InvocationQueue<StreamEvent>;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  invocations = await startInvocationQueue();
  cleanups.push(invocations.stop);
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: {
  mapping?: Record<string, unknown>;
  dataDirectory?: string;
}): Promise<LocalGateway> {
  const { mapping = {}, dataDirectory } = options;
  const assemblyDirectory = writeAssemblyFixture({ testUrl: invocations.url, mapping });
  const gateway = await startLocalGateway({
    assemblyDirectory,
    dataDirectory,
    ephemeral: dataDirectory === undefined,
    port: 0,
    environment: { PATH: process.env.PATH },
  });
  cleanups.push(() => rmSync(assemblyDirectory, { recursive: true }), gateway.stop);
  return gateway;
}

async function write(gateway: LocalGateway, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    await (await fetch(gateway.chatUrl, { headers: { 'x-do': 'write', 'x-id': id } })).arrayBuffer();
  }
}

const idsOf = (event: StreamEvent) => event.Records.map(({ dynamodb }) => dynamodb?.Keys?.id?.S);

async function receiveDeadLetter(gateway: LocalGateway): Promise<Record<string, unknown>> {
  const QueueUrl = gateway.connection.outputs.DeadLetterQueueUrl ?? '';
  const client = new SQSClient({
    endpoint: gateway.connection.sqs_endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local-admin', secretAccessKey: 'any' },
  });
  const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
  const [message] = Messages;
  await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
  client.destroy();
  return JSON.parse(message?.Body ?? 'null');
}

describe('Event source mapping for a stream', () => {
  it('invokes the function with records in the format of Lambda', async () => {
    const gateway = await start({});
    await write(gateway, 'a');
    const { message, respond } = await invocations.next();
    respond({});

    expect(message).toEqual({
      Records: [
        {
          eventID: expect.any(String),
          eventName: 'INSERT',
          eventVersion: '1.1',
          eventSource: 'aws:dynamodb',
          awsRegion: 'us-east-1',
          dynamodb: {
            ApproximateCreationDateTime: expect.any(Number),
            Keys: { id: { S: 'a' } },
            NewImage: { id: { S: 'a' }, n: { N: '1' } },
            SequenceNumber: expect.stringMatching(/^\d+$/),
            SizeBytes: expect.any(Number),
            StreamViewType: 'NEW_IMAGE',
          },
          eventSourceARN: expect.stringContaining('table/Fixture-Events/stream/'),
        },
      ],
    });
  });

  it('collects matching records during the batching window', async () => {
    const gateway = await start({ mapping: { MaximumBatchingWindowInSeconds: 1 } });
    // The second write of `a` is a MODIFY event, which the filter does not match.
    await write(gateway, 'a', 'a', 'b');
    const { message, respond } = await invocations.next();
    respond({});

    expect(idsOf(message)).toEqual(['a', 'b']);
  });

  it('delivers a full batch before the end of the batching window', async () => {
    const gateway = await start({ mapping: { MaximumBatchingWindowInSeconds: 300, BatchSize: 2 } });
    await write(gateway, 'a', 'b', 'c');
    const { message, respond } = await invocations.next();
    respond({});

    expect(idsOf(message)).toEqual(['a', 'b']);
  });

  it('sends a discarded batch to the failure destination and continues', async () => {
    const gateway = await start({ mapping: { MaximumRetryAttempts: 1 } });
    await write(gateway, 'a');
    (await invocations.next()).respond({ error: 'no' });
    const retry = await invocations.next();
    retry.respond({ error: 'still no' });
    const deadLetter = await receiveDeadLetter(gateway);
    await write(gateway, 'b');
    const next = await invocations.next();
    next.respond({});

    const [record] = retry.message.Records;
    expect(deadLetter).toEqual({
      requestContext: {
        requestId: expect.any(String),
        functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:Fixture-Consumer',
        condition: 'RetryAttemptsExhausted',
        approximateInvokeCount: 2,
      },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      version: '1.0',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      DDBStreamBatchInfo: {
        shardId: expect.stringMatching(/^shardId-/),
        startSequenceNumber: record?.dynamodb?.SequenceNumber,
        endSequenceNumber: record?.dynamodb?.SequenceNumber,
        approximateArrivalOfFirstRecord: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        approximateArrivalOfLastRecord: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        batchSize: 1,
        streamArn: record?.eventSourceARN,
      },
    });
    expect(idsOf(next.message)).toEqual(['b']);
  });

  it('passes the state of a tumbling window to the next invocation', async () => {
    const gateway = await start({ mapping: { TumblingWindowInSeconds: 900 } });
    await write(gateway, 'a');
    const first = await invocations.next();
    first.respond({ result: { state: { count: 1 } } });
    await write(gateway, 'b');
    const second = await invocations.next();
    second.respond({ result: { state: { count: 2 } } });

    expect(first.message).toMatchObject({
      state: {},
      shardId: expect.stringMatching(/^shardId-/),
      isFinalInvokeForWindow: false,
      isWindowTerminatedEarly: false,
    });
    const { start: from = '', end: to = '' } = first.message.window ?? {};
    expect(Date.parse(to) - Date.parse(from)).toBe(900_000);
    expect(Date.parse(from) % 900_000).toBe(0);
    expect(second.message.state).toEqual({ count: 1 });
  });

  it('ends a tumbling window with a final invocation without records', async () => {
    const gateway = await start({ mapping: { TumblingWindowInSeconds: 1 } });
    await write(gateway, 'a');
    (await invocations.next()).respond({ result: { state: { count: 1 } } });
    const final = await invocations.next();
    final.respond({ result: { state: {} } });

    expect(final.message).toMatchObject({ Records: [], state: { count: 1 }, isFinalInvokeForWindow: true });
  });

  it('continues after a restart with the first unprocessed record', async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'gateway-'));
    cleanups.push(() => rmSync(dataDirectory, { recursive: true }));
    const before = await start({ dataDirectory });
    await write(before, 'processed');
    (await invocations.next()).respond({});
    await write(before, 'unfinished');
    await invocations.next();
    await before.stop();
    const after = await start({ dataDirectory });
    await write(after, 'new');
    const first = await invocations.next();
    first.respond({});

    expect(idsOf(first.message)[0]).toBe('unfinished');
  });

  it('rejects a mapping when the role of the function does not grant reading the stream', async () => {
    const assemblyDirectory = writeAssemblyFixture({
      testUrl: invocations.url,
      resources: {
        ConsumerPolicy: {
          Type: 'AWS::IAM::Policy',
          Properties: { PolicyDocument: { Statement: [] }, Roles: [{ Ref: 'ConsumerRole' }] },
        },
      },
    });
    cleanups.push(() => rmSync(assemblyDirectory, { recursive: true }));
    const started = startLocalGateway({
      assemblyDirectory,
      ephemeral: true,
      port: 0,
      environment: process.env,
    });

    await expect(started).rejects.toThrow(
      /^Mapping: User: .*Fixture-ConsumerRole\/Fixture-Consumer is not authorized to perform: dynamodb:DescribeStream on resource: .*Fixture-Events\/stream\//,
    );
  });
});
