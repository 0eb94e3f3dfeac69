/** Parts of the event source mappings that read the stream of a table. */
import type { IEventSourceDlq } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';

/**
 * The queue for batches that Lambda has given up. Replaces `SqsDlq`, which also grants reading the queue's attributes. Sending
 * does not need that permission.
 */
export function failureDestination(queue: Queue): IEventSourceDlq {
  return {
    bind(_mapping, fn) {
      queue.grant(fn, 'sqs:SendMessage');
      return { destination: queue.queueArn };
    },
  };
}

/** The findings of cdk-nag about a function that reads a stream, and about its queue. */
export const streamSourceAcknowledgements = [
  {
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'dynamodb:ListStreams, which Lambda needs to read a stream, has no narrower resource; the other stream actions name the stream.',
  },
  {
    id: 'AwsSolutions-SQS3',
    reason: 'This queue is itself the dead-letter queue of the event source mapping.',
  },
];
