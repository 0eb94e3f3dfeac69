import { describe, expect, it } from 'vitest';
import { processedMessages, toQueueEvent } from '#local/event-sources/queue/poller.ts';

const messages = ['a', 'b', 'c'].map((name) => ({
  MessageId: name,
  ReceiptHandle: `receipt of ${name}`,
  Body: `body of ${name}`,
  MD5OfBody: `md5 of ${name}`,
  Attributes: { ApproximateReceiveCount: '1', SentTimestamp: '1545082649183' },
}));

const namesOf = (processed: readonly { MessageId?: string }[]) =>
  processed.map(({ MessageId }) => MessageId).join('');

const returned = (payload: string) => ({ kind: 'returned' as const, payload });

describe('toQueueEvent', () => {
  it('creates an event in the format of Lambda', () => {
    const source = { queueArn: 'arn:aws:sqs:us-east-1:1:Waiting', region: 'us-east-1' };

    expect(toQueueEvent(messages.slice(0, 1), source)).toEqual({
      Records: [
        {
          messageId: 'a',
          receiptHandle: 'receipt of a',
          body: 'body of a',
          attributes: { ApproximateReceiveCount: '1', SentTimestamp: '1545082649183' },
          messageAttributes: {},
          md5OfBody: 'md5 of a',
          eventSource: 'aws:sqs',
          eventSourceARN: 'arn:aws:sqs:us-east-1:1:Waiting',
          awsRegion: 'us-east-1',
        },
      ],
    });
  });
});

describe('processedMessages', () => {
  const failures = (...identifiers: unknown[]) =>
    JSON.stringify({ batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })) });

  it.each([
    ['all messages for an empty object', '{}', 'abc'],
    ['all messages for a null response', 'null', 'abc'],
    ['all messages for an empty list', '{"batchItemFailures":[]}', 'abc'],
    ['all messages for a null list', '{"batchItemFailures":null}', 'abc'],
    ['all but the reported messages', failures('a', 'c'), 'b'],
    ['all but a message that is reported twice', failures('a', 'a'), 'bc'],
    ['no message when all are reported', failures('a', 'b', 'c'), ''],
    ['no message when a reported message is not in the batch', failures('a', 'z'), ''],
    ['no message when an identifier is empty', failures(''), ''],
    ['no message when an identifier is missing', '{"batchItemFailures":[{"id":"a"}]}', ''],
    ['no message when a list item is not an object', '{"batchItemFailures":["a"]}', ''],
  ])('returns %s', (_, payload, processed) => {
    const result = { outcome: returned(payload), reportsBatchItemFailures: true };

    expect(namesOf(processedMessages(messages, result))).toBe(processed);
  });

  it('ignores reported failures when the mapping does not enable ReportBatchItemFailures', () => {
    const result = { outcome: returned(failures('a')), reportsBatchItemFailures: false };

    expect(namesOf(processedMessages(messages, result))).toBe('abc');
  });

  it.each([true, false])(
    'returns no message when the function failed (ReportBatchItemFailures: %s)',
    (reportsBatchItemFailures) => {
      const error = { errorType: 'Error', errorMessage: 'no' };
      const result = { outcome: { kind: 'failed' as const, error }, reportsBatchItemFailures };

      expect(processedMessages(messages, result)).toEqual([]);
    },
  );
});
