/** Writes the log entries that could not be written when their requests ended, from the queue in which they wait. */

import { Duration } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { RetainedQueue } from '../data/retained.ts';
import type { LogEntriesTable } from '../data/tables.ts';
import { GatewayFunction } from './gateway-function.ts';

export interface LogRecoveryProps {
  logRetention: RetentionDays;
  logEntries: LogEntriesTable;
}

const functionTimeout = Duration.seconds(10);

export class LogRecovery extends Construct {
  readonly queue: Queue;
  /** Messages that are no entries, or could not be written for the better part of a day. */
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { logRetention, logEntries }: LogRecoveryProps) {
    super(scope, id);
    this.deadLetterQueue = new RetainedQueue(this, 'DeadLetters');
    this.queue = new RetainedQueue(this, 'LostEntries', {
      // Six times the function's timeout, as AWS advises: Lambda may hold messages before it invokes the function.
      // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
      visibilityTimeout: Duration.seconds(6 * functionTimeout.toSeconds()),
      // One attempt a minute, so entries wait here while the table is unavailable for up to 16 hours.
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: 1000 },
    });
    const fn = new GatewayFunction(this, 'Function', {
      entry: 'request-log/recover/recovery.lambda.ts',
      description: 'Writes log entries that could not be written when their requests ended',
      timeout: functionTimeout,
      logRetention,
    });
    logEntries.grantAppend(fn);
    this.feed(fn);
  }

  grantSend(fn: GatewayFunction): void {
    fn.addEnvironment('LOST_ENTRIES_QUEUE_URL', this.queue.queueUrl);
    fn.allow({ actions: ['sqs:SendMessage'], resources: [this.queue.queueArn] });
  }

  /** Without CDK's `SqsEventSource`, which grants more than Lambda needs. */
  private feed(fn: GatewayFunction): void {
    fn.allow({
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      resources: [this.queue.queueArn],
    });
    fn.addEventSourceMapping('LostEntries', {
      eventSourceArn: this.queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
      // A backlog must not overload a table that has just become available again.
      maxConcurrency: 2,
    });
  }
}
