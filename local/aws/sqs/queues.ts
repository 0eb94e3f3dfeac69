/** Creates the template's SQS queues on the first start and updates their attributes on later ones. */
import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import type { QueueDefinition } from '#local/template/local-stack.ts';

export interface Queue extends QueueDefinition {
  engineUrl: string;
}

export interface Queues {
  all: readonly Queue[];
  /** Sends a message on behalf of Lambda itself, such as a discarded batch. */
  send(queueArn: string, message: string): Promise<void>;
  /** Resolves to `null` when the engine cannot be inspected. */
  sample(queue: Queue): Promise<QueueContents | null>;
  close(): void;
}

interface QueueContents {
  visibleMessages: number;
  /** Messages that a consumer has received, but not deleted. */
  hiddenMessages: number;
}

/** Default values of SQS for the queue properties that have a local effect. */
const defaultAttributes = {
  DelaySeconds: 0,
  MaximumMessageSize: 1_048_576,
  MessageRetentionPeriod: 345_600,
  ReceiveMessageWaitTimeSeconds: 0,
  VisibilityTimeout: 30,
  RedrivePolicy: '',
};

export async function ensureQueues(settings: {
  definitions: readonly QueueDefinition[];
  engineEndpoint: string;
  region: string;
}): Promise<Queues> {
  const client = new SQSClient({
    endpoint: settings.engineEndpoint,
    region: settings.region,
    credentials: { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey },
  });
  const all: Queue[] = [];
  for (const definition of settings.definitions) {
    const engineUrl = (await find(client, definition.name)) ?? (await create(client, definition.name));
    all.push({ ...definition, engineUrl });
  }
  // After all queues exist, because a redrive policy refers to another queue.
  for (const queue of all) await setAttributes(client, queue);
  return {
    all,
    async send(queueArn, message) {
      const queue = all.find(({ arn }) => arn === queueArn);
      if (queue === undefined) throw new LocalGatewayError(`The stack has no queue ${queueArn}`);
      await client.send(new SendMessageCommand({ QueueUrl: queue.engineUrl, MessageBody: message }));
    },
    sample: ({ name }) => inspect(`${settings.engineEndpoint}/_fauxqs/queues/${name}`),
    close: () => client.destroy(),
  };
}

/** The queue inspection response of fauxqs. */
interface QueueView {
  messages: { ready: unknown[]; inflight: unknown[] };
}

async function inspect(url: string): Promise<QueueContents | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1000) });
    if (!response.ok) return null;
    const { ready, inflight } = ((await response.json()) as QueueView).messages;
    return { visibleMessages: ready.length, hiddenMessages: inflight.length };
  } catch {
    return null;
  }
}

async function find(client: SQSClient, QueueName: string): Promise<string | undefined> {
  try {
    return (await client.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl;
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return undefined;
    throw error;
  }
}

async function create(client: SQSClient, QueueName: string): Promise<string> {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName }));
  if (QueueUrl === undefined) throw new LocalGatewayError(`The engine did not create the queue ${QueueName}`);
  return QueueUrl;
}

async function setAttributes(client: SQSClient, { engineUrl, properties }: Queue): Promise<void> {
  const attributes = Object.entries(defaultAttributes).map(([name, defaultValue]) => {
    const value = properties[name] ?? defaultValue;
    return [name, typeof value === 'object' ? JSON.stringify(value) : String(value)];
  });
  await client.send(
    new SetQueueAttributesCommand({ QueueUrl: engineUrl, Attributes: Object.fromEntries(attributes) }),
  );
}
