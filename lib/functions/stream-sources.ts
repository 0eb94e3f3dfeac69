/** Parts of the event source mappings that read the stream of a table. */
import { FilterCriteria, FilterRule, type IEventSourceDlq, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, type StreamEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { directorySchema } from '#lambdas/access/schema.ts';
import type { DirectoryTable } from '../data/tables.ts';

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

/** Starts a function when items of a partition of the Directory table are written. One invocation at a time. */
export function directorySource(
  directory: DirectoryTable,
  partition: string,
  failures: Pick<StreamEventSourceProps, 'retryAttempts' | 'maxRecordAge' | 'onFailure'> = {},
): DynamoEventSource {
  return new DynamoEventSource(directory, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.or('INSERT', 'MODIFY'),
        dynamodb: { Keys: { [directorySchema.partitionKey]: { S: FilterRule.isEqual(partition) } } },
      }),
    ],
    parallelizationFactor: 1,
    ...failures,
  });
}

export const listStreamsAcknowledgement = {
  id: 'AwsSolutions-IAM5[Resource::*]',
  reason:
    'dynamodb:ListStreams, which Lambda needs to read a stream, has no narrower resource; the other stream actions name the stream.',
};

/** The findings of cdk-nag about a function that reads a stream, and about its queue. */
export const streamSourceAcknowledgements = [
  listStreamsAcknowledgement,
  {
    id: 'AwsSolutions-SQS3',
    reason: 'This queue is itself the dead-letter queue of the event source mapping.',
  },
];
