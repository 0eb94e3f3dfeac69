import { dayMs } from '../duration.ts';
import { type JsonObject, objectOrEmpty } from '../json/json.ts';
import type { JsonService } from './json-client.ts';

export interface MessageSender {
  /** Rejects when the queue has not accepted the message within three seconds. */
  send(queueUrl: string, message: JsonObject): Promise<void>;
}

/** The retention period of all queues: SQS's maximum. */
export const queueRetentionMs = 14 * dayMs;

const timeoutMs = 3000;

export function createMessageSender(sqs: JsonService): MessageSender {
  return {
    async send(queueUrl, message) {
      await sqs.call('SendMessage', { QueueUrl: queueUrl, MessageBody: asciiJson(message) }, timeoutMs);
    },
  };
}

/** The counts that together are the size of a queue. */
export const queueSizeAttributes = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** Approximate, up to a minute late; includes hidden and delayed messages. */
export async function readQueueSize(sqs: JsonService, queueUrl: string): Promise<number> {
  const input = { QueueUrl: queueUrl, AttributeNames: queueSizeAttributes };
  const { Attributes } = await sqs.call('GetQueueAttributes', input, timeoutMs);
  return sumOfSizes(objectOrEmpty(Attributes));
}

export function sumOfSizes(attributes: JsonObject): number {
  return queueSizeAttributes.reduce((sum, name) => sum + Number(attributes[name] ?? 0), 0);
}

/**
 * Escapes everything outside printable ASCII: SQS rejects characters that XML does not allow, such as U+FFFF, and JSON
 * does not escape them.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
function asciiJson(message: JsonObject): string {
  const toEscape = (codeUnit: string) => `\\u${codeUnit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(message).replace(/[^ -~]/g, toEscape);
}
