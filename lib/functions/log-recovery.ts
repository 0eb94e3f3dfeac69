/**
 * Retries writing log entries that could not be written when their requests ended, and pricing those whose price could not be
 * read. A queue holds them meanwhile.
 */

import { Duration } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { RetainedQueue } from '../data/retained.ts';
import type { CostRollupsTable, LogEntriesTable, PricesTable } from '../data/tables.ts';
import type { Settings } from '../settings/settings.ts';
import { GatewayFunction } from './gateway-function.ts';

interface LogRecoveryProps {
  settings: Settings;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  prices: PricesTable;
}

const functionTimeout = Duration.seconds(10);

export class LogRecovery extends Construct {
  readonly function: GatewayFunction;
  readonly queue: Queue;
  /** Contains messages without a valid entry, and entries that could not be written or priced for 16 hours. */
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, props: LogRecoveryProps) {
    super(scope, id);
    const { settings, logEntries, costRollups, prices } = props;
    this.deadLetterQueue = new RetainedQueue(this, 'DeadLetters');
    this.queue = new RetainedQueue(this, 'LostEntries', {
      // AWS recommends six times the function's timeout, since Lambda can buffer messages before the invocation:
      // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
      visibilityTimeout: Duration.seconds(6 * functionTimeout.toSeconds()),
      // There is one attempt per minute, so entries are retried for 16 hours while a table is unavailable.
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: 1000 },
    });
    const fn = new GatewayFunction(this, 'Function', {
      entry: 'maintenance/lost-entries.lambda.ts',
      description: 'Writes and prices log entries for which that failed when their requests ended',
      timeout: functionTimeout,
      settings,
    });
    this.function = fn;
    fn.addEnvironment('PROVIDERS', JSON.stringify(settings.providers));
    logEntries.grantCorrect(fn);
    costRollups.grantMarkRestored(fn);
    prices.grantFind(fn);
    this.addConsumer(fn);
  }

  grantSend(fn: GatewayFunction): void {
    fn.addEnvironment('LOST_ENTRIES_QUEUE_URL', this.queue.queueUrl);
    fn.allow({ actions: ['sqs:SendMessage'], resources: [this.queue.queueArn] });
  }

  /** Does not use CDK's `SqsEventSource`, because it grants more than Lambda needs. */
  private addConsumer(fn: GatewayFunction): void {
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
