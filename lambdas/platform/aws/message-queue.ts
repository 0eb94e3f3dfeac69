/** A queue of the gateway as a command works through it. */
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs';
import { forEachConcurrently } from '../concurrency.ts';

export interface QueueMessage {
  id: string;
  body: string;
  /** Of this receipt of the message. */
  handle: string;
}

export interface MessageQueue {
  /** At most ten, and none when none is left; nobody else gets them for some minutes. */
  receive(): Promise<QueueMessage[]>;
  delete(message: QueueMessage): Promise<void>;
  /** Lets others have it. */
  release(message: QueueMessage): Promise<void>;
  /** How many messages there are, hidden ones too. SQS needs up to a minute until it says so. */
  size(): Promise<number>;
}

const hiddenSeconds = 300;
/** All servers of the queue are asked, and not only some. */
const waitSeconds = 1;
const releasesAtOnce = 10;

export function openMessageQueue(config: SQSClientConfig, QueueUrl: string): MessageQueue {
  const client = new SQSClient(config);
  return {
    async receive() {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: waitSeconds,
          VisibilityTimeout: hiddenSeconds,
        }),
      );
      return Messages.map(({ MessageId: id = '', Body: body = '', ReceiptHandle: handle = '' }) => ({
        id,
        body,
        handle,
      }));
    },
    async delete({ handle: ReceiptHandle }) {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    },
    async release({ handle: ReceiptHandle }) {
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
      );
    },
    async size() {
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...counts] }),
      );
      return counts.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
    },
  };
}

const counts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

export interface DrainOptions {
  signal: AbortSignal;
  /** What is done with is deleted; what is not stays in the queue. */
  handle(message: QueueMessage): Promise<'done' | 'left'>;
}

/** Handles each message once. Whatever becomes of it, others can have what is left as soon as this has ended. */
export async function drainQueue(queue: MessageQueue, { signal, handle }: DrainOptions): Promise<void> {
  const held = new Map<string, QueueMessage>();
  try {
    for (;;) {
      signal.throwIfAborted();
      const messages = await queue.receive();
      // What was left comes again when the work takes longer than it is hidden.
      const fresh = messages.filter(({ id }) => !held.has(id));
      for (const message of messages) held.set(message.id, message);
      if (fresh.length === 0) return;
      for (const message of fresh) {
        signal.throwIfAborted();
        if ((await handle(message)) === 'left') continue;
        await queue.delete(message);
        held.delete(message.id);
      }
    }
  } finally {
    await forEachConcurrently(held.values(), releasesAtOnce, (message) => queue.release(message));
  }
}
