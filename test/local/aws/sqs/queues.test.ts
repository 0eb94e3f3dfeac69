import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it } from 'vitest';
import { startQueueEngine } from '#local/aws/sqs/engine.ts';
import { ensureQueues } from '#local/aws/sqs/queues.ts';
import { startFakeAwsService } from '#test/support/aws/fake-service.ts';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const arnOf = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

async function start(
  queues: Record<string, Record<string, unknown>>,
  { dataDirectory, environment = {} }: { dataDirectory?: string; environment?: NodeJS.ProcessEnv } = {},
) {
  const engine = await startQueueEngine({ dataDirectory, environment, region: 'us-east-1' });
  const { endpoint } = engine;
  const definitions = Object.entries(queues).map(([name, properties]) => {
    return { name, arn: arnOf(name), url: `http://127.0.0.1/000000000000/${name}`, properties };
  });
  const ensured = await ensureQueues({ definitions, engineEndpoint: endpoint, region: 'us-east-1' });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new SQSClient({ endpoint, region: 'us-east-1', credentials });
  const urlOf = (name: string) => ensured.all.find((queue) => queue.name === name)?.engineUrl;
  const stop = async () => {
    client.destroy();
    ensured.close();
    await engine.stop();
  };
  cleanups.push(stop);
  return {
    endpoint,
    send: (name: string, message: string) => ensured.send(arnOf(name), message),
    sample: async (name: string) => {
      const queue = ensured.all.find((candidate) => candidate.name === name);
      return queue === undefined ? null : ensured.sample(queue);
    },
    attributesOf: async (name: string) => {
      const all = new GetQueueAttributesCommand({ QueueUrl: urlOf(name), AttributeNames: ['All'] });
      return (await client.send(all)).Attributes;
    },
    async receive(name: string, VisibilityTimeout?: number) {
      const command = new ReceiveMessageCommand({ QueueUrl: urlOf(name), VisibilityTimeout });
      return (await client.send(command)).Messages ?? [];
    },
    makeVisible: (name: string, ReceiptHandle?: string) =>
      client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl: urlOf(name), ReceiptHandle, VisibilityTimeout: 0 }),
      ),
    stop: () => {
      cleanups.splice(cleanups.indexOf(stop), 1);
      return stop();
    },
  };
}

function createDataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'queues-'));
  cleanups.push(() => rmSync(directory, { recursive: true }));
  return directory;
}

describe('ensureQueues', () => {
  it('sets the attributes of the template and the AWS defaults for the others', async () => {
    const queues = await start({ Waiting: { VisibilityTimeout: 60, MessageRetentionPeriod: 1_209_600 } });

    expect(await queues.attributesOf('Waiting')).toMatchObject({
      QueueArn: arnOf('Waiting'),
      VisibilityTimeout: '60',
      MessageRetentionPeriod: '1209600',
      DelaySeconds: '0',
      MaximumMessageSize: '1048576',
      ReceiveMessageWaitTimeSeconds: '0',
    });
  });

  it('moves a message to the dead-letter queue after maxReceiveCount', async () => {
    const RedrivePolicy = { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 2 };
    const queues = await start({ Waiting: { RedrivePolicy }, Dead: {} });
    await queues.send('Waiting', 'poison');
    const received = [];
    for (let attempt = 0; attempt < 3; attempt += 1) received.push(await queues.receive('Waiting', 0));
    const dead = await queues.receive('Dead');

    expect(received.map((messages) => messages.map(({ Body }) => Body))).toEqual([
      ['poison'],
      ['poison'],
      [],
    ]);
    expect(dead.map(({ Body }) => Body)).toEqual(['poison']);
  });

  it('throws when sending to an unknown queue ARN', async () => {
    const queues = await start({});

    await expect(queues.send('Nothing', 'x')).rejects.toThrow(`The stack has no queue ${arnOf('Nothing')}`);
  });
});

describe('sample', () => {
  it('counts visible and received messages', async () => {
    const queues = await start({ Waiting: {} });
    const empty = await queues.sample('Waiting');
    await queues.send('Waiting', 'one');
    await queues.send('Waiting', 'two');
    const sent = await queues.sample('Waiting');
    await queues.receive('Waiting');
    const received = await queues.sample('Waiting');

    expect(empty).toEqual({ visibleMessages: 0, hiddenMessages: 0 });
    expect(sent).toEqual({ visibleMessages: 2, hiddenMessages: 0 });
    expect(received).toEqual({ visibleMessages: 1, hiddenMessages: 1 });
  });

  it('resolves to null for an engine that cannot be inspected', async () => {
    const QueueUrl = 'http://127.0.0.1/000000000000/Waiting';
    const service = await startFakeAwsService(({ operation }) =>
      operation === '' ? { status: 404, body: '' } : { body: JSON.stringify({ QueueUrl }) },
    );
    cleanups.push(service.stop);
    const queues = await start({ Waiting: {} }, { environment: { AWS_ENDPOINT_URL_SQS: service.endpoint } });

    expect(await queues.sample('Waiting')).toBeNull();
  });
});

describe('Existing queues', () => {
  it('updates an existing queue instead of creating it, which SQS may reject when attributes differ', async () => {
    const QueueUrl = 'http://127.0.0.1/000000000000/Waiting';
    const service = await startFakeAwsService(() => ({ body: JSON.stringify({ QueueUrl }) }));
    cleanups.push(service.stop);
    await start({ Waiting: {} }, { environment: { AWS_ENDPOINT_URL_SQS: service.endpoint } });

    expect(service.requests.map(({ operation }) => operation)).toEqual(['GetQueueUrl', 'SetQueueAttributes']);
  });
});

describe('Data directory', () => {
  it('keeps messages over a restart and applies changed attributes', async () => {
    const dataDirectory = createDataDirectory();
    const before = await start({ Waiting: { VisibilityTimeout: 60 } }, { dataDirectory });
    await before.send('Waiting', 'one');
    await before.send('Waiting', 'two');
    const hidden = await before.receive('Waiting');
    await before.stop();
    const after = await start({ Waiting: { DelaySeconds: 1 } }, { dataDirectory });
    const received = await after.receive('Waiting');

    expect(hidden.map(({ Body }) => Body)).toEqual(['one']);
    expect(received.map(({ Body }) => Body)).toEqual(['two']);
    expect(await after.attributesOf('Waiting')).toMatchObject({ VisibilityTimeout: '30', DelaySeconds: '1' });
  });

  it('keeps messages that a loaded queue has received, over another restart', async () => {
    const dataDirectory = createDataDirectory();
    await (await start({ Waiting: {} }, { dataDirectory })).stop();
    const loaded = await start({ Waiting: {} }, { dataDirectory });
    await loaded.send('Waiting', 'one');
    await loaded.stop();
    const after = await start({ Waiting: {} }, { dataDirectory });

    expect((await after.receive('Waiting')).map(({ Body }) => Body)).toEqual(['one']);
  });

  it('makes a message visible again when its visibility timeout is set to 0', async () => {
    const queues = await start({ Waiting: {} }, { dataDirectory: createDataDirectory() });
    await queues.send('Waiting', 'one');
    const [first] = await queues.receive('Waiting');
    await queues.makeVisible('Waiting', first?.ReceiptHandle);
    const [second] = await queues.receive('Waiting');

    expect(second?.Body).toBe('one');
  });
});

describe('startQueueEngine', () => {
  it('listens only on 127.0.0.1', async () => {
    const { endpoint } = await start({});
    const otherAddress = endpoint.replace('127.0.0.1', '127.0.0.2');

    await expect(fetch(`${endpoint}/health`)).resolves.toMatchObject({ status: 200 });
    await expect(fetch(`${otherAddress}/health`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('uses the SQS endpoint of the environment', async () => {
    const other = await start({});
    const environment = { AWS_ENDPOINT_URL_SQS: `${other.endpoint}/` };
    const queues = await start({ Waiting: {} }, { environment });
    await queues.send('Waiting', 'one');
    const listed = await (await fetch(`${other.endpoint}/_fauxqs/queues`)).json();

    expect(queues.endpoint).toBe(other.endpoint);
    expect(listed).toMatchObject([{ name: 'Waiting', approximateMessageCount: 1 }]);
  });
});
