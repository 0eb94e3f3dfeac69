/** Adds new and changed log entries to the cost rollups, from the table's stream. */

import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { streamRetentionMs } from '#lambdas/platform/dynamodb/watermark.ts';
import { RetainedQueue } from '../data/retained.ts';
import type { BudgetCountersTable, CostRollupsTable, LogEntriesTable } from '../data/tables.ts';
import type { Settings } from '../settings/settings.ts';
import { GatewayFunction } from './gateway-function.ts';
import { fullCpuMemoryMb } from './limits.ts';
import { failureDestination, streamSourceAcknowledgements } from './stream-sources.ts';

interface RollupFunctionProps {
  settings: Settings;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  budgetCounters: BudgetCountersTable;
}

export class RollupFunction extends Construct {
  readonly function: GatewayFunction;
  /** Contains quarantined records, for `rollups replay`, and Lambda's notifications of discarded batches. */
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, props: RollupFunctionProps) {
    super(scope, id);
    this.deadLetterQueue = new RetainedQueue(this, 'DeadLetters');
    const fn = new GatewayFunction(this, 'Function', {
      entry: 'costs/rollups/rollup.lambda.ts',
      description: 'Adds new log entries to the cost rollups and the counters of budgets',
      timeout: Duration.minutes(1),
      // A batch of entries that share no prompt, session or user needs 9,000 writes.
      memoryMb: fullCpuMemoryMb,
      settings: props.settings,
    });
    this.function = fn;
    props.costRollups.grantCount(fn);
    props.budgetCounters.grantUpdate(fn);
    grantPutEvents(fn);
    fn.addEnvironment('ROLLUP_DEAD_LETTER_QUEUE_URL', this.deadLetterQueue.queueUrl);
    fn.addEnvironment('METRIC_MODELS', JSON.stringify(props.settings.metricModels));
    fn.addEventSource(logEntryStream(props.logEntries, this.deadLetterQueue));
    Validations.of(this).acknowledge(...streamSourceAcknowledgements);
  }
}

/** Allows events on the default bus of the account. */
function grantPutEvents(fn: GatewayFunction): void {
  const { partition, region, account } = Stack.of(fn);
  fn.allow({
    actions: ['events:PutEvents'],
    resources: [`arn:${partition}:events:${region}:${account}:event-bus/default`],
  });
}

function logEntryStream(logEntries: LogEntriesTable, deadLetterQueue: Queue): DynamoEventSource {
  return new DynamoEventSource(logEntries, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    // REMOVE is not included: the costs of an entry are kept when it expires.
    filters: [FilterCriteria.filter({ eventName: FilterRule.or('INSERT', 'MODIFY') })],
    batchSize: 1000,
    maxBatchingWindow: Duration.seconds(1),
    parallelizationFactor: 1,
    // Lambda includes the shard id in the event only with a tumbling window. The function needs the id to count a
    // redelivered record only once. The window itself is not used.
    tumblingWindow: Duration.minutes(15),
    bisectBatchOnError: true,
    // The number of retries is unlimited, but a record expires from the stream after 24 hours. Lambda sends a
    // notification to the queue only if it discards the record before that.
    maxRecordAge: Duration.millis(streamRetentionMs).minus(Duration.hours(1)),
    onFailure: failureDestination(deadLetterQueue),
  });
}
