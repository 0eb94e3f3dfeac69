/** Writes log entries that their table did not take when their requests ended, from a queue in which they wait. */

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
  /** What is no entry ends here, and what could not be written for very long. */
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { logRetention, logEntries }: LogRecoveryProps) {
    super(scope, id);
    this.deadLetterQueue = new RetainedQueue(this, 'DeadLetters');
    this.queue = new RetainedQueue(this, 'LostEntries', {
      // Six times the function's time, as AWS advises: Lambda may hold messages back before it hands them over.
      // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
      visibilityTimeout: Duration.seconds(6 * functionTimeout.toSeconds()),
      // Once a minute: while the table is away for the better part of a day, entries stay where they are written from.
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
      // A table that comes back is not to be overrun by what has waited for it.
      maxConcurrency: 2,
    });
  }
}
