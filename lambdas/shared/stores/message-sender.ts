/** Sends messages to SQS. Few invocations need that: load this when it is first needed, it brings its client along. */
import { SendMessageCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import type { JsonObject } from '../domain/json.ts';

export interface MessageSender {
  /** Rejects when the queue has not taken the message within three seconds. */
  send(queueUrl: string, message: JsonObject): Promise<void>;
}

const sendTimeoutMs = 3000;
const attemptTimeoutMs = 1000;

export function createMessageSender(settings: SQSClientConfig = {}): MessageSender {
  const client = new SQSClient({
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: attemptTimeoutMs,
      requestTimeout: attemptTimeoutMs,
      throwOnRequestTimeout: true,
    },
    ...settings,
  });
  return {
    async send(queueUrl, message) {
      const command = new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: asciiJson(message) });
      await client.send(command, { abortSignal: AbortSignal.timeout(sendTimeoutMs) });
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
