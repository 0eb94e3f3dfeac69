/** Polls an SQS queue as Lambda does: receives messages, invokes the function and deletes the processed messages. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { InvocationOutcome } from '#local/functions/worker.ts';
import { messageOf } from '#local/local-gateway-error.ts';
import { asList, isObject, parseJson } from '#local/untyped-json.ts';
import type { QueueMapping } from './mapping.ts';

interface QueuePollerOptions {
  mapping: QueueMapping;
  /** Has the credentials of the function. */
  client: SQSClient;
  region: string;
  onError(message: string): void;
}

interface QueuePoller {
  /** Stops receiving. Unprocessed messages are received again after the next start. */
  stop(): void;
  /** Resolves after `stop`, when the running invocations have ended. */
  readonly stopped: Promise<void>;
}

/** Maximum of SQS long polling. */
const waitTimeSeconds = 20;

const errorPauseMs = 1000;

export function startQueuePoller(options: QueuePollerOptions): QueuePoller {
  const controller = new AbortController();
  const pollers = Array.from({ length: options.mapping.maxConcurrentBatches }, () =>
    poll(options, controller.signal),
  );
  return {
    stop: () => controller.abort(),
    stopped: Promise.all(pollers).then(() => options.client.destroy()),
  };
}

async function poll(options: QueuePollerOptions, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      const messages = await receive(options, stopping);
      if (messages.length > 0) await deliver(options, { messages, stopping });
    } catch (error) {
      // Stopping aborts pending calls; their errors are expected.
      if (stopping.aborted) return;
      options.onError(`${options.mapping.logicalId}: ${messageOf(error)}`);
      await delay(errorPauseMs, undefined, { signal: stopping }).catch(() => {});
    }
  }
}

async function receive({ mapping, client }: QueuePollerOptions, stopping: AbortSignal): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: mapping.queue.url,
    MaxNumberOfMessages: mapping.batchSize,
    MessageSystemAttributeNames: ['All'],
    WaitTimeSeconds: waitTimeSeconds,
  });
  return (await client.send(command, { abortSignal: stopping })).Messages ?? [];
}

async function deliver(
  { mapping, client, region, onError }: QueuePollerOptions,
  { messages, stopping }: { messages: Message[]; stopping: AbortSignal },
): Promise<void> {
  const { queue, target, reportsBatchItemFailures } = mapping;
  const event = JSON.stringify(toQueueEvent(messages, { queueArn: queue.arn, region }));
  const outcome = await target.invoke({ event, requestId: randomUUID() });
  if (outcome.kind === 'failed' && !stopping.aborted) {
    onError(`${target.definition.name}: ${outcome.error.errorMessage}`);
  }
  const processed = processedMessages(messages, { outcome, reportsBatchItemFailures });
  if (processed.length === 0) return;
  const Entries = processed.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await client.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }));
}

/** `messageAttributes` is always empty, because nothing in the stack sends message attributes. */
export function toQueueEvent(
  messages: readonly Message[],
  source: { queueArn: string; region: string },
): object {
  return {
    Records: messages.map((message) => ({
      messageId: message.MessageId,
      receiptHandle: message.ReceiptHandle,
      body: message.Body,
      attributes: message.Attributes,
      messageAttributes: {},
      md5OfBody: message.MD5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: source.queueArn,
      awsRegion: source.region,
    })),
  };
}

/**
 * Returns the messages to delete; the others become visible again after their visibility timeout.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export function processedMessages(
  messages: readonly Message[],
  result: { outcome: InvocationOutcome; reportsBatchItemFailures: boolean },
): readonly Message[] {
  const { outcome, reportsBatchItemFailures } = result;
  if (outcome.kind !== 'returned') return [];
  if (!reportsBatchItemFailures) return messages;
  const response = parseJson(outcome.payload);
  const failures = asList((isObject(response) ? response.batchItemFailures : undefined) ?? undefined);
  const failed = new Set(failures.map((failure) => (isObject(failure) ? failure.itemIdentifier : undefined)));
  const processed = messages.filter(({ MessageId }) => !failed.has(MessageId));
  // An invalid identifier, or one that is not in the batch, makes the whole batch fail.
  return processed.length + failed.size === messages.length ? processed : [];
}
