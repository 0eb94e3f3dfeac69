/** Sends messages to SQS. */

import type { JsonObject } from '../json/json.ts';
import type { JsonService } from './json-client.ts';

export interface MessageSender {
  /** Rejects when the queue has not taken the message within three seconds. */
  send(queueUrl: string, message: JsonObject): Promise<void>;
}

/** How long the gateway's queues keep a message: as long as SQS can. */
export const queueRetentionMs = 14 * 86_400_000;

const timeoutMs = 3000;

export function createMessageSender(sqs: JsonService): MessageSender {
  return {
    async send(queueUrl, message) {
      await sqs.call('SendMessage', { QueueUrl: queueUrl, MessageBody: asciiJson(message) }, timeoutMs);
    },
  };
}

/**
 * SQS refuses a message with a character that XML has not, such as U+FFFF, which JSON leaves as it is.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
function asciiJson(message: JsonObject): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(message).replace(/[^ -~]/g, escaped);
}
