/** A queue, fed to a function by a running gateway. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { writeFixtureAssembly } from '../fixture-assembly.ts';
import { type FunctionDesk, openFunctionDesk } from '../function-desk.ts';

const arnOf = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
const grants = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
const queueUrl = (gateway: LocalGateway, name: string) =>
  `${gateway.facts.sqs_endpoint}/000000000000/Fixture-${name}`;

let desk: FunctionDesk<SQSEvent>;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  desk = await openFunctionDesk();
  cleanups.push(desk.stop);
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface QueueOptions {
  mapping?: Record<string, unknown>;
  actions?: string[];
  visibilitySeconds?: number;
  dataDirectory?: string;
}

/** A queue that hides a message for a second, and gives it up when it was received twice. */
async function start(options: QueueOptions = {}): Promise<LocalGateway> {
  const { mapping = {}, actions = grants, visibilitySeconds = 1, dataDirectory } = options;
  const assemblyDirectory = writeFixtureAssembly({
    testUrl: desk.url,
    consumer: { Timeout: 1 },
    mapping: { Enabled: false },
    resources: {
      Waiting: {
        Type: 'AWS::SQS::Queue',
        Properties: {
          VisibilityTimeout: visibilitySeconds,
          RedrivePolicy: { deadLetterTargetArn: arnOf('DeadLetters'), maxReceiveCount: 2 },
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
  });
  cleanups.push(gateway.stop);
  return gateway;
}

function administrator(gateway: LocalGateway): SQSClient {
  const client = new SQSClient({
    endpoint: gateway.facts.sqs_endpoint,
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

/** How many messages wait in it, and how many are hidden. */
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

describe('a mapping of a queue', () => {
  it('gives the function messages as Lambda does, and deletes those that it processed', async () => {
    const gateway = await start();
    await send(gateway, 'one');
    const { message, answer } = await desk.take();
    answer({ result: { batchItemFailures: [] } });

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

  it('brings what was reported as failed again, and after that to the dead letters', async () => {
    const gateway = await start();
    await send(gateway, 'good', 'poison');
    const bodies: string[][] = [];
    // Messages that are sent together may come apart.
    while (bodies.flat().filter((body) => body === 'poison').length < 2) {
      const { message, answer } = await desk.take();
      bodies.push(bodiesOf(message));
      const failed = message.Records.filter(({ body }) => body === 'poison');
      answer({
        result: { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) },
      });
    }
    const dead = await administrator(gateway).send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl(gateway, 'DeadLetters'), WaitTimeSeconds: 10 }),
    );

    expect(bodies.flat().sort()).toEqual(['good', 'poison', 'poison']);
    expect(dead.Messages?.map(({ Body }) => Body)).toEqual(['poison']);
    expect(await countsOf(gateway, 'Waiting')).toEqual(['0', '0']);
  });

  it.each([
    ['fails', (answer: (body: unknown) => void) => answer({ error: 'no' })],
    ['does not end in its time', () => {}],
  ])('brings a batch again whose function %s', async (_, respond) => {
    const gateway = await start();
    await send(gateway, 'one');
    const first = await desk.take();
    respond(first.answer);
    const second = await desk.take();
    second.answer({});

    expect(second.message.Records[0]?.messageId).toBe(first.message.Records[0]?.messageId);
    expect(second.message.Records[0]?.attributes.ApproximateReceiveCount).toBe('2');
    await expect.poll(() => countsOf(gateway, 'Waiting')).toEqual(['0', '0']);
  });

  it('gives the function no more batches at once than the mapping says', async () => {
    const gateway = await start({ mapping: { BatchSize: 1 } });
    await send(gateway, 'one', 'two', 'three');
    const [first, second] = [await desk.take(), await desk.take()];
    const [waiting] = await countsOf(gateway, 'Waiting');
    const inHand = desk.waiting();
    first.answer({});
    const third = await desk.take();
    for (const { answer } of [second, third]) answer({});

    expect([waiting, inHand]).toEqual(['1', 0]);
    expect([first, second, third].flatMap(({ message }) => bodiesOf(message)).sort()).toEqual([
      'one',
      'three',
      'two',
    ]);
  });

  it('goes on after a restart with what was not processed', async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'gateway-'));
    cleanups.push(() => rmSync(dataDirectory, { recursive: true }));
    const before = await start({ dataDirectory });
    await send(before, 'under way');
    await desk.take();
    await before.stop();
    await start({ dataDirectory });
    const { message, answer } = await desk.take();
    answer({});

    expect(bodiesOf(message)).toEqual(['under way']);
  });
});

describe('a mapping that Lambda would not take', () => {
  it.each(grants)('is refused when the role of its function does not grant %s', async (missing) => {
    const started = start({ actions: grants.filter((action) => action !== missing) });

    await expect(started).rejects.toThrow(
      `is not authorized to perform: ${missing} on resource: arn:aws:sqs:us-east-1:000000000000:Fixture-Waiting`,
    );
  });

  it('is refused when messages come again before their function has to be done', async () => {
    await expect(start({ visibilitySeconds: 0 })).rejects.toThrow(
      "QueueMapping: the queue's visibility timeout of 0 seconds is shorter than the 1 seconds that its function may take",
    );
  });

  it('is refused when it has a setting that is not emulated', async () => {
    await expect(start({ mapping: { MaximumBatchingWindowInSeconds: 5 } })).rejects.toThrow(
      "QueueMapping: the local run does not know MaximumBatchingWindowInSeconds of a queue's mapping",
    );
  });
});
