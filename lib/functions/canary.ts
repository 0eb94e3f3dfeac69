/** Checks both endpoints regularly, from outside and with an organization of its own. */

import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { AuditTrailTable } from '../data/audit-trail-table.ts';
import type { DirectoryTable } from '../data/tables.ts';
import type { Settings } from '../settings/settings.ts';
import { GatewayFunction } from './gateway-function.ts';

interface CanaryProps {
  settings: Settings;
  canary: NonNullable<Settings['canary']>;
  directory: DirectoryTable;
  auditTrail: AuditTrailTable;
  /** Without a trailing slash, like `chatUrl`. */
  apiBaseUrl: string;
  chatUrl: string;
}

export class Canary extends Construct {
  readonly function: GatewayFunction;

  constructor(scope: Construct, id: string, props: CanaryProps) {
    super(scope, id);
    const { settings, canary, directory, auditTrail, apiBaseUrl, chatUrl } = props;
    const fn = new GatewayFunction(this, 'Function', {
      entry: 'canary/canary.lambda.ts',
      description: 'Checks both endpoints with requests of its own',
      // The checks take a minute at most. The calls to DynamoDB around them can take longer only if they fail.
      timeout: Duration.minutes(2),
      settings,
    });
    this.function = fn;
    fn.addEnvironment('API_BASE_URL', apiBaseUrl);
    fn.addEnvironment('CHAT_URL', chatUrl);
    fn.addEnvironment('CANARY_MODEL', canary.model ?? '');
    directory.grantReplaceKey(fn);
    auditTrail.grantRecord(fn);
    // The next run follows soon enough, and a late one would check the same.
    const maxEventAge = Duration.minutes(1);
    fn.configureAsyncInvoke({ maxEventAge, retryAttempts: 0 });
    new Rule(this, 'Schedule', {
      description: 'Runs the canary',
      schedule: Schedule.rate(Duration.minutes(canary.everyMinutes)),
      targets: [new LambdaFunction(fn, { maxEventAge, retryAttempts: 0 })],
    });
  }
}
