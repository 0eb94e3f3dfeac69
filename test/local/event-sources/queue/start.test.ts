import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { writeAssemblyFixture } from '#test/local/assembly-fixture.ts';
import { type InvocationQueue, startInvocationQueue } from '#test/local/invocation-queue.ts';

const arnOf = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
const grants = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
const queueUrl = (gateway: LocalGateway, name: string) =>
  `${gateway.connection.sqs_endpoint}/000000000000/Fixture-${name}`;

let invocations: InvocationQueue<SQSEvent>;
let logLines: string[];
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  logLines = [];
  invocations = await startInvocationQueue();
  cleanups.push(invocations.stop);
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface QueueOptions {
  mapping?: Record<string, unknown>;
  actions?: string[];
  /** Timeout of the function. */
  timeoutSeconds?: number;
  visibilitySeconds?: number;
  maxReceiveCount?: number;
  dataDirectory?: string;
}

/**
 * Starts a gateway with a queue and a function. Their default timeouts do not pass during a test, however slow the
 * machine is: a test makes a message visible itself.
 */
async function start(options: QueueOptions = {}): Promise<LocalGateway> {
  const { mapping = {}, actions = grants, dataDirectory } = options;
  const { timeoutSeconds = 600, visibilitySeconds = 600, maxReceiveCount = 2 } = options;
  const assemblyDirectory = writeAssemblyFixture({
    testUrl: invocations.url,
    consumer: { Timeout: timeoutSeconds },
    mapping: { Enabled: false },
    resources: {
      Waiting: {
        Type: 'AWS::SQS::Queue',
        Properties: {
          VisibilityTimeout: visibilitySeconds,
          RedrivePolicy: { deadLetterTargetArn: arnOf('DeadLetters'), maxReceiveCount },
        },
      },
      QueueMapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          BatchSize: 10,
          EventSourceArn: arnOf('Waiting'),
          FunctionName: { Ref: 'Consumer' },
          FunctionResponseTypes: ['ReportBatchItemFailures'],
          ScalingConfig: { MaximumConcurrency: 2 },
          ...mapping,
        },
      },
      ConsumerPolicy: {
        Type: 'AWS::IAM::Policy',
        Properties: {
          PolicyDocument: {
            Statement: [{ Effect: 'Allow', Action: actions, Resource: arnOf('Waiting') }],
          },
          Roles: [{ Ref: 'ConsumerRole' }],
        },
      },
    },
  });
  cleanups.push(() => rmSync(assemblyDirectory, { recursive: true }));
  const gateway = await startLocalGateway({
    assemblyDirectory,
    dataDirectory,
    ephemeral: dataDirectory === undefined,
    port: 0,
    environment: { PATH: process.env.PATH },
    onLogLine: (line) => logLines.push(line),
  });
  cleanups.push(gateway.stop);
  return gateway;
}

function administrator(gateway: LocalGateway): SQSClient {
  const client = new SQSClient({
    endpoint: gateway.connection.sqs_endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local-admin', secretAccessKey: 'any' },
  });
  cleanups.push(() => client.destroy());
  return client;
}

async function send(gateway: LocalGateway, ...bodies: string[]): Promise<void> {
  const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
  await administrator(gateway).send(
    new SendMessageBatchCommand({ QueueUrl: queueUrl(gateway, 'Waiting'), Entries }),
  );
}

async function makeVisible(gateway: LocalGateway, { receiptHandle }: SQSRecord): Promise<void> {
  await administrator(gateway).send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: queueUrl(gateway, 'Waiting'),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: 0,
    }),
  );
}

/** Returns the numbers of visible and of invisible messages. */
async function countsOf(gateway: LocalGateway, name: string): Promise<string[]> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const command = new GetQueueAttributesCommand({
    QueueUrl: queueUrl(gateway, name),
    AttributeNames: [...names],
  });
  const { Attributes } = await administrator(gateway).send(command);
  return names.map((attribute) => Attributes?.[attribute] ?? '');
}

const bodiesOf = (event: SQSEvent) => event.Records.map(({ body }) => body).sort();

describe('Event source mapping for a queue', () => {
  it('invokes the function with messages in the format of Lambda and deletes processed messages', async () => {
    const gateway = await start();
    await send(gateway, 'one');
    const { message, respond } = await invocations.next();
    respond({ result: { batchItemFailures: [] } });

    expect(message).toEqual({
      Records: [
        {
          messageId: expect.any(String),
          receiptHandle: expect.any(String),
          body: 'one',
          attributes: {
            ApproximateReceiveCount: '1',
            SentTimestamp: expect.stringMatching(/^\d{13}$/),
            SenderId: expect.any(String),
            ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
          },
          messageAttributes: {},
          md5OfBody: 'f97c5d29941bfb1b2fdab0874906ab82',
          eventSource: 'aws:sqs',
          eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:Fixture-Waiting',
          awsRegion: 'us-east-1',
        },
      ],
    });
    await expect.poll(() => countsOf(gateway, 'Waiting')).toEqual(['0', '0']);
  });

  it('redelivers messages that are reported as failed and finally moves them to the dead-letter queue', async () => {
    const gateway = await start();
    await send(gateway, 'good', 'poison');
    const receives: SQSRecord[] = [];
    const failPoison = async () => {
      const { message, respond } = await invocations.next();
      receives.push(...message.Records);
      const failed = message.Records.filter(({ body }) => body === 'poison');
      respond({
        result: { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) },
      });
      return failed;
    };
    const failures: SQSRecord[] = [];
    // Messages of one SendMessageBatch call may arrive in separate batches.
    while (receives.length < 2) failures.push(...(await failPoison()));
    await expect.poll(() => countsOf(gateway, 'Waiting')).toEqual(['0', '1']);
    for (const failure of failures) await makeVisible(gateway, failure);
    for (const failure of await failPoison()) await makeVisible(gateway, failure);
    const dead = await administrator(gateway).send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl(gateway, 'DeadLetters'), WaitTimeSeconds: 20 }),
    );

    expect(receives.map(({ body }) => body).sort()).toEqual(['good', 'poison', 'poison']);
    expect(dead.Messages?.map(({ Body }) => Body)).toEqual(['poison']);
    expect(await countsOf(gateway, 'Waiting')).toEqual(['0', '0']);
  });

  it.each([
    {
      end: 'fails',
      timeoutSeconds: 600,
      endInvocation: (respond: (body: unknown) => void) => respond({ error: 'The batch failed.' }),
      logged: 'The batch failed.',
    },
    {
      end: 'times out',
      // Also enough for the second invocation.
      timeoutSeconds: 3,
      endInvocation: () => {},
      logged: 'Task timed out after 3.00 seconds',
    },
  ])('keeps and redelivers a batch when the function $end', async (example) => {
    const gateway = await start({ timeoutSeconds: example.timeoutSeconds });
    await send(gateway, 'one');
    const first = await invocations.next();
    const [record] = first.message.Records as [SQSRecord];
    example.endInvocation(first.respond);
    await expect.poll(() => logLines.join('\n')).toContain(example.logged);
    const afterFailure = await countsOf(gateway, 'Waiting');
    await makeVisible(gateway, record);
    const second = await invocations.next();
    second.respond();

    expect(afterFailure).toEqual(['0', '1']);
    expect(second.message.Records[0]?.messageId).toBe(record.messageId);
    expect(second.message.Records[0]?.attributes.ApproximateReceiveCount).toBe('2');
    await expect.poll(() => countsOf(gateway, 'Waiting')).toEqual(['0', '0']);
  });

  it('limits concurrent batches to MaximumConcurrency', async () => {
    const gateway = await start({ mapping: { BatchSize: 1 } });
    await send(gateway, 'one', 'two', 'three');
    const [first, second] = [await invocations.next(), await invocations.next()];
    const [visible] = await countsOf(gateway, 'Waiting');
    const pending = invocations.pendingCount();
    first.respond({});
    const third = await invocations.next();
    for (const { respond } of [second, third]) respond({});

    expect([visible, pending]).toEqual(['1', 0]);
    expect([first, second, third].flatMap(({ message }) => bodiesOf(message)).sort()).toEqual([
      'one',
      'three',
      'two',
    ]);
  });

  it('redelivers unprocessed messages after a restart', async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'gateway-'));
    cleanups.push(() => rmSync(dataDirectory, { recursive: true }));
    const options = { dataDirectory, timeoutSeconds: 1, visibilitySeconds: 1, maxReceiveCount: 100 };
    const before = await start(options);
    await send(before, 'unfinished');
    await invocations.next();
    await before.stop();
    await start(options);
    const { message, respond } = await invocations.next();
    respond({});

    expect(bodiesOf(message)).toEqual(['unfinished']);
  });
});

describe('Mappings that Lambda rejects', () => {
  it.each(grants)('rejects a mapping when the role of the function does not grant %s', async (missing) => {
    const started = start({ actions: grants.filter((action) => action !== missing) });

    await expect(started).rejects.toThrow(
      `is not authorized to perform: ${missing} on resource: arn:aws:sqs:us-east-1:000000000000:Fixture-Waiting`,
    );
  });

  it('rejects a visibility timeout that is shorter than the function timeout', async () => {
    await expect(start({ visibilitySeconds: 1, timeoutSeconds: 2 })).rejects.toThrow(
      "QueueMapping: the queue's visibility timeout of 1 seconds is shorter than the function's timeout of 2 seconds",
    );
  });

  it('rejects a property that is not emulated', async () => {
    await expect(start({ mapping: { MaximumBatchingWindowInSeconds: 5 } })).rejects.toThrow(
      'QueueMapping has MaximumBatchingWindowInSeconds, which the local run does not emulate',
    );
  });
});
