/** The queue of an event source mapping for the batches of a stream that Lambda has given up. */
import type { IEventSourceDlq } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';

/** Replaces `SqsDlq`, which also grants reading the queue's attributes. Sending does not need that permission. */
export function failureDestination(queue: Queue): IEventSourceDlq {
  return {
    bind(_mapping, fn) {
      queue.grant(fn, 'sqs:SendMessage');
      return { destination: queue.queueArn };
    },
  };
}

export const deadLetterQueueAcknowledgement = {
  id: 'AwsSolutions-SQS3',
  reason: 'This queue is itself the dead-letter queue of the event source mapping.',
};
