/** Puts changes of budgets into effect. The stream of the Directory table starts the function. */

import { Duration, Validations } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { pendingChangesPartition } from '#lambdas/limits/schema.ts';
import { RetainedQueue } from '../data/retained.ts';
import type {
  BudgetCountersTable,
  CostRollupsTable,
  DirectoryTable,
  LogEntriesTable,
} from '../data/tables.ts';
import type { Settings } from '../settings/settings.ts';
import { GatewayFunction } from './gateway-function.ts';
import { directorySource, failureDestination, streamSourceAcknowledgements } from './stream-sources.ts';

interface BudgetChangesProps {
  settings: Settings;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  budgetCounters: BudgetCountersTable;
}

/** Later changes wait for the pauses between the retries of one that fails, but not for its end. */
const retryAttempts = 5;

/** More than all attempts of several batches take that end at the function's timeout: the ones behind them are attempted too. */
const maxRecordAge = Duration.hours(6);

export class BudgetChanges extends Construct {
  readonly function: GatewayFunction;
  /** Contains Lambda's notifications of changes that always failed, for `budget retry`. */
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, props: BudgetChangesProps) {
    super(scope, id);
    this.deadLetterQueue = new RetainedQueue(this, 'DeadLetters');
    const fn = new GatewayFunction(this, 'Function', {
      entry: 'costs/budgets/budgets.lambda.ts',
      description: 'Puts changes of budgets into effect',
      timeout: Duration.minutes(15),
      settings: props.settings,
    });
    this.function = fn;
    props.directory.grantApplyBudgets(fn);
    props.logEntries.grantQueryByTime(fn);
    props.costRollups.grantAdd(fn);
    props.budgetCounters.grantManage(fn);
    // Each invocation applies all pending changes.
    fn.addEventSource(
      directorySource(props.directory, pendingChangesPartition, {
        retryAttempts,
        maxRecordAge,
        onFailure: failureDestination(this.deadLetterQueue),
      }),
    );
    Validations.of(this).acknowledge(...streamSourceAcknowledgements);
  }
}
