/** Feeds a queue to a function: receives messages, invokes, and deletes those that were processed. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { InvocationOutcome } from '../functions/function-worker.ts';
import { messageOf } from '../local-gateway-error.ts';
import { asList, isObject, parseJson } from '../untyped-json.ts';
import type { QueueMapping } from './queue-mapping.ts';

export interface QueuePollerParts {
  mapping: QueueMapping;
  /** Acts as the function. */
  client: SQSClient;
  region: string;
  onProblem(message: string): void;
}

export interface QueuePoller {
  /** Receives no more. What the function has not processed by then comes again at the next start. */
  stop(): void;
  /** Resolves after `stop`, when the invocations that were under way have ended. */
  readonly stopped: Promise<void>;
}

/** The longest that SQS waits for a message. */
const waitTimeSeconds = 20;

/** After an error that is not the function's, such as an engine that does not answer. */
const errorPauseMs = 1000;

export function startQueuePoller(parts: QueuePollerParts): QueuePoller {
  const controller = new AbortController();
  const pollers = Array.from({ length: parts.mapping.concurrency }, () => poll(parts, controller.signal));
  return {
    stop: () => controller.abort(),
    stopped: Promise.all(pollers).then(() => parts.client.destroy()),
  };
}

async function poll(parts: QueuePollerParts, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      const messages = await receive(parts, stopping);
      if (messages.length > 0) await deliver(parts, { messages, stopping });
    } catch (error) {
      // Once the poller is stopped, what is under way fails, and nobody need be told.
      if (stopping.aborted) return;
      parts.onProblem(`${parts.mapping.logicalId}: ${messageOf(error)}`);
      await delay(errorPauseMs, undefined, { signal: stopping }).catch(() => {});
    }
  }
}

async function receive({ mapping, client }: QueuePollerParts, stopping: AbortSignal): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: mapping.queue.url,
    MaxNumberOfMessages: mapping.batchSize,
    MessageSystemAttributeNames: ['All'],
    WaitTimeSeconds: waitTimeSeconds,
  });
  return (await client.send(command, { abortSignal: stopping })).Messages ?? [];
}

async function deliver(
  { mapping, client, region, onProblem }: QueuePollerParts,
  { messages, stopping }: { messages: Message[]; stopping: AbortSignal },
): Promise<void> {
  const { queue, target, reportsBatchItemFailures } = mapping;
  const event = JSON.stringify(toQueueEvent(messages, { queueArn: queue.arn, region }));
  const outcome = await target.invoke({ event, requestId: randomUUID() });
  if (outcome.kind === 'failed' && !stopping.aborted) {
    onProblem(`${target.definition.name}: ${outcome.error.errorMessage}`);
  }
  const processed = processedMessages(messages, { outcome, reportsBatchItemFailures });
  if (processed.length === 0) return;
  const Entries = processed.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await client.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }));
}

/** Messages come without attributes of their own: nothing in the stack sends any. */
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
 * Those that are to be deleted; the others come again when their visibility time-out is over.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export function processedMessages(
  messages: readonly Message[],
  result: { outcome: InvocationOutcome; reportsBatchItemFailures: boolean },
): readonly Message[] {
  const { outcome, reportsBatchItemFailures } = result;
  if (outcome.kind !== 'returned') return [];
  if (!reportsBatchItemFailures) return messages;
  const answer = parseJson(outcome.payload);
  const failures = asList((isObject(answer) ? answer.batchItemFailures : undefined) ?? undefined);
  const failed = new Set(failures.map((failure) => (isObject(failure) ? failure.itemIdentifier : undefined)));
  const left = messages.filter(({ MessageId }) => !failed.has(MessageId));
  // An identifier that is none, or not of the batch, makes the whole batch fail.
  return left.length + failed.size === messages.length ? left : [];
}
