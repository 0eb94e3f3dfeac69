/** A batch of messages as Lambda hands it to a function, and what the function's answer says of it. */
import type { Message } from '@aws-sdk/client-sqs';
import type { InvocationOutcome } from '../functions/function-worker.ts';
import { asList, isObject, parseJson } from '../untyped-json.ts';

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
