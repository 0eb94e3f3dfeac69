/** Adds each new log entry, and what changes of one, to the cost rollups, from the table's stream. */

import { Duration, Validations } from 'aws-cdk-lib';
import { FilterCriteria, FilterRule, type IEventSourceDlq, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { RetainedQueue } from '../data/retained.ts';
import type { CostRollupsTable, LogEntriesTable } from '../data/tables.ts';
import { GatewayFunction } from './gateway-function.ts';

export interface CostRollupProps {
  logRetention: RetentionDays;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
}

const acknowledgements = [
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

export class CostRollup extends Construct {
  /** The records that could not be read, for `rollups replay`, and word of batches that Lambda has given up on. */
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, props: CostRollupProps) {
    super(scope, id);
    this.deadLetterQueue = new RetainedQueue(this, 'DeadLetters');
    const fn = new GatewayFunction(this, 'Function', {
      entry: 'costs/rollups/rollup.lambda.ts',
      description: 'Adds new log entries to the cost rollups',
      timeout: Duration.minutes(1),
      // A whole processor: a batch whose entries all have prompts, sessions and users of their own is 9,000 writes.
      memoryMb: 1769,
      logRetention: props.logRetention,
    });
    props.costRollups.grantAdd(fn);
    fn.addEnvironment('ROLLUP_DEAD_LETTER_QUEUE_URL', this.deadLetterQueue.queueUrl);
    fn.addEventSource(newEntries(props.logEntries, this.deadLetterQueue));
    Validations.of(this).acknowledge(...acknowledgements);
  }
}

function newEntries(logEntries: LogEntriesTable, deadLetterQueue: Queue): DynamoEventSource {
  return new DynamoEventSource(logEntries, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    // Entries are written, some are priced again, and later they expire: what they cost remains.
    filters: [FilterCriteria.filter({ eventName: FilterRule.or('INSERT', 'MODIFY') })],
    batchSize: 1000,
    maxBatchingWindow: Duration.seconds(1),
    parallelizationFactor: 1,
    // Lambda tells a function which shard its records are from only within a window, and the shard is what
    // makes a record that comes twice count once. The window itself is not used.
    tumblingWindow: Duration.minutes(15),
    bisectBatchOnError: true,
    // No limit on attempts: however long the rollups' table may fail, nothing is left out that can still be counted.
    // The stream keeps records for 24 hours: give up, and say so, before they are gone.
    maxRecordAge: Duration.hours(23),
    onFailure: sendOnlyTo(deadLetterQueue),
  });
}

/** `SqsDlq` without the permission to look at the queue, which neither Lambda nor the function need to send to it. */
function sendOnlyTo(queue: Queue): IEventSourceDlq {
  return {
    bind(_mapping, fn) {
      queue.grant(fn, 'sqs:SendMessage');
      return { destination: queue.queueArn };
    },
  };
}
