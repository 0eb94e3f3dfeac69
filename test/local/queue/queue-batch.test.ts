import { describe, expect, it } from 'vitest';
import { processedMessages, toQueueEvent } from '#local/queue/queue-poller.ts';

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

describe('the event of a batch', () => {
  it('has the form that Lambda gives it', () => {
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

describe('what of a batch was processed', () => {
  const failures = (...identifiers: unknown[]) =>
    JSON.stringify({ batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })) });

  it.each([
    ['all of it, when nothing is reported', '{}', 'abc'],
    ['all of it, when the answer is nothing', 'null', 'abc'],
    ['all of it, when the list is empty', '{"batchItemFailures":[]}', 'abc'],
    ['all of it, when the list is nothing', '{"batchItemFailures":null}', 'abc'],
    ['all but what is reported', failures('a', 'c'), 'b'],
    ['all but what is reported twice', failures('a', 'a'), 'bc'],
    ['nothing, when all is reported', failures('a', 'b', 'c'), ''],
    ['nothing, when a message is reported that is not in the batch', failures('a', 'z'), ''],
    ['nothing, when an identifier is empty', failures(''), ''],
    ['nothing, when an identifier is missing', '{"batchItemFailures":[{"id":"a"}]}', ''],
    ['nothing, when the list holds something else', '{"batchItemFailures":["a"]}', ''],
  ])('is %s', (_, payload, processed) => {
    const result = { outcome: returned(payload), reportsBatchItemFailures: true };

    expect(namesOf(processedMessages(messages, result))).toBe(processed);
  });

  it('is all of it when the mapping asks for no report, whatever the function returns', () => {
    const result = { outcome: returned(failures('a')), reportsBatchItemFailures: false };

    expect(namesOf(processedMessages(messages, result))).toBe('abc');
  });

  it.each([true, false])('is nothing when the function failed', (reportsBatchItemFailures) => {
    const error = { errorType: 'Error', errorMessage: 'no' };
    const result = { outcome: { kind: 'failed' as const, error }, reportsBatchItemFailures };

    expect(processedMessages(messages, result)).toEqual([]);
  });
});
