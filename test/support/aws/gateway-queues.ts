/** The gateway's queues in the embedded in-memory SQS. */
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { startQueueEngine } from '#local/aws/sqs/engine.ts';

interface TestQueue {
  url: string;
  send(body: unknown): Promise<void>;
  /** Leaves the messages visible. */
  bodies(): Promise<string[]>;
  visible(): Promise<number>;
  /** Puts one message in flight by receiving it. */
  hide(): Promise<void>;
}

export interface GatewayQueues {
  endpoint: string;
  lostEntries: TestQueue;
  lostEntriesDeadLetters: TestQueue;
  rollupDeadLetters: TestQueue;
  budgetChangesDeadLetters: TestQueue;
  stop(): Promise<void>;
}

export async function startGatewayQueues(): Promise<GatewayQueues> {
  const region = 'us-east-1';
  const { endpoint, stop } = await startQueueEngine({ dataDirectory: undefined, environment: {}, region });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new SQSClient({ endpoint, region, credentials });
  const create = async (QueueName: string) => {
    await client.send(new CreateQueueCommand({ QueueName }));
    return testQueue(client, `${endpoint}/000000000000/${QueueName}`);
  };
  return {
    endpoint,
    lostEntries: await create('LostEntries'),
    lostEntriesDeadLetters: await create('LostEntriesDeadLetters'),
    rollupDeadLetters: await create('RollupDeadLetters'),
    budgetChangesDeadLetters: await create('BudgetChangesDeadLetters'),
    async stop() {
      client.destroy();
      await stop();
    },
  };
}

function testQueue(client: SQSClient, QueueUrl: string): TestQueue {
  const receive = async (VisibilityTimeout: number, MaxNumberOfMessages: number) => {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages, VisibilityTimeout });
    return ((await client.send(command)).Messages ?? []).map(({ Body = '' }) => Body);
  };
  return {
    url: QueueUrl,
    async send(body) {
      const MessageBody = typeof body === 'string' ? body : JSON.stringify(body);
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    },
    bodies: () => receive(0, 10),
    async visible() {
      const AttributeNames = ['ApproximateNumberOfMessages' as const];
      const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      return Number(Attributes?.ApproximateNumberOfMessages);
    },
    async hide() {
      await receive(300, 1);
    },
  };
}
