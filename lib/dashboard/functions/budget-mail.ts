/** E-mails to the owners of organizations when budgets reach their thresholds. */

import { Duration, Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { AccountsTable } from '#lib/data/accounts-table.ts';
import type { DirectoryTable } from '#lib/data/tables.ts';
import { GatewayFunction } from '#lib/functions/gateway-function.ts';
import type { Settings } from '#lib/settings/settings.ts';
import { grantSendMail } from './send-mail.ts';

interface BudgetMailProps {
  settings: Settings;
  mailFrom: string;
  accounts: AccountsTable;
  directory: DirectoryTable;
  /** Without a trailing slash. */
  dashboardOrigin: string;
}

/** Later, the mail would be of little use. The function sends it once, however often the event is delivered. */
const maxEventAge = Duration.hours(6);

export class BudgetMail extends Construct {
  readonly function: GatewayFunction;

  constructor(scope: Construct, id: string, props: BudgetMailProps) {
    super(scope, id);
    const fn = new GatewayFunction(this, 'Function', {
      entry: 'accounts/budget-mail/budget-mail.lambda.ts',
      description: 'Tells the owners of organizations when budgets reach their thresholds',
      timeout: Duration.minutes(1),
      settings: props.settings,
    });
    this.function = fn;
    fn.addEnvironment('DASHBOARD_ORIGIN', props.dashboardOrigin);
    props.accounts.grantNotifyOwners(fn);
    props.directory.grantFind(fn);
    grantSendMail(fn, props.mailFrom);
    // EventBridge only hands the event over to Lambda, which invokes the function again when it fails.
    fn.configureAsyncInvoke({ maxEventAge, retryAttempts: 2 });
    new Rule(this, 'Rule', {
      description: 'Thresholds of budgets',
      // Sent by lambdas/limits/budgets/events.ts, also of other stacks.
      eventPattern: {
        source: ['ai-gateway'],
        detailType: ['Budget Threshold Reached'],
        detail: { stack: [Stack.of(this).stackName] },
      },
      targets: [new LambdaFunction(fn, { maxEventAge })],
    });
  }
}
