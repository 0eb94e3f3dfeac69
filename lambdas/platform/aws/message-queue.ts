/** Receives, deletes and releases the messages of an SQS queue, for the admin commands. */
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs';
import { forEachConcurrently } from '../concurrency.ts';
import { queueSizeAttributes, sumOfSizes } from './sqs.ts';

export interface QueueMessage {
  id: string;
  body: string;
  receiptHandle: string;
}

export interface MessageQueue {
  /** Returns at most ten messages, hidden from other consumers for five minutes; none when the queue is empty. */
  receive(): Promise<QueueMessage[]>;
  delete(message: QueueMessage): Promise<void>;
  /** Makes a received message visible to other consumers again. */
  release(message: QueueMessage): Promise<void>;
  /** Approximate, up to a minute late; includes hidden and delayed messages. */
  size(): Promise<number>;
}

const visibilityTimeoutSeconds = 300;
/** Long polling: SQS queries all of its servers instead of a sample. */
const waitTimeSeconds = 1;
const messageConcurrency = 10;

export function openMessageQueue(config: SQSClientConfig, QueueUrl: string): MessageQueue {
  const client = new SQSClient(config);
  return {
    async receive() {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: waitTimeSeconds,
          VisibilityTimeout: visibilityTimeoutSeconds,
        }),
      );
      return Messages.map(
        ({ MessageId = '', Body = '', ReceiptHandle = '' }): QueueMessage => ({
          id: MessageId,
          body: Body,
          receiptHandle: ReceiptHandle,
        }),
      );
    },
    async delete({ receiptHandle: ReceiptHandle }) {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    },
    async release({ receiptHandle: ReceiptHandle }) {
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
      );
    },
    async size() {
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...queueSizeAttributes] }),
      );
      return sumOfSizes(Attributes);
    },
  };
}

interface DrainOptions {
  signal: AbortSignal;
  /** Messages that are `done` are deleted; messages that are `left` stay in the queue. */
  handle(message: QueueMessage): Promise<'done' | 'left'>;
}

/** Handles each message once. At the end, also after an error, releases the messages that it did not delete. */
export async function drainQueue(queue: MessageQueue, { signal, handle }: DrainOptions): Promise<void> {
  const received = new Map<string, QueueMessage>();
  try {
    for (;;) {
      signal.throwIfAborted();
      const messages = await queue.receive();
      // After the visibility timeout, SQS redelivers the messages that were left in the queue.
      const unhandled = messages.filter(({ id }) => !received.has(id));
      for (const message of messages) received.set(message.id, message);
      if (unhandled.length === 0) return;
      for (const message of unhandled) {
        signal.throwIfAborted();
        if ((await handle(message)) === 'left') continue;
        await queue.delete(message);
        received.delete(message.id);
      }
    }
  } finally {
    await forEachConcurrently(received.values(), messageConcurrency, (message) => queue.release(message));
  }
}

/** Deletes the messages that were in the queue before the work, once it is done. Resolves to their number. */
export async function deleteAfter(queue: MessageQueue, work: () => Promise<void>): Promise<number> {
  const received = new Map<string, QueueMessage>();
  try {
    let sizeBefore: number;
    do {
      sizeBefore = received.size;
      for (const message of await queue.receive()) received.set(message.id, message);
    } while (received.size > sizeBefore);
    await work();
    const messages = [...received.values()];
    await forEachConcurrently(messages, messageConcurrency, async (message) => {
      await queue.delete(message);
      received.delete(message.id);
    });
    return messages.length;
  } finally {
    await forEachConcurrently(received.values(), messageConcurrency, (message) => queue.release(message));
  }
}
