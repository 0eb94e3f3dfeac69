import type { JsonObject } from '../json/json.ts';
import type { JsonService } from './json-client.ts';

export interface MessageSender {
  /** Rejects when the queue has not accepted the message within three seconds. */
  send(queueUrl: string, message: JsonObject): Promise<void>;
}

/** The retention period of all queues: SQS's maximum. */
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
 * Escapes everything outside printable ASCII: SQS rejects characters that XML does not allow, such as U+FFFF, and JSON
 * does not escape them.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
function asciiJson(message: JsonObject): string {
  const toEscape = (codeUnit: string) => `\\u${codeUnit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(message).replace(/[^ -~]/g, toEscape);
}
