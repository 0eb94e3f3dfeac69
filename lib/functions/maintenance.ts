/** Scheduled functions: one recovers the entries of killed requests, the other verifies the cost rollups. */

import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { CostRollupsTable, DirectoryTable, LogEntriesTable, PricesTable } from '../data/tables.ts';
import type { Settings } from '../settings/settings.ts';
import type { ChatFunction } from './chat-function.ts';
import { GatewayFunction } from './gateway-function.ts';
import { fullCpuMemoryMb, largeMemoryMb } from './limits.ts';
import type { LogRecovery } from './log-recovery.ts';

interface MaintenanceProps {
  settings: Settings;
  chat: ChatFunction;
  logRecovery: LogRecovery;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  prices: PricesTable;
}

const interval = Duration.minutes(15);

/** Shorter than the interval, so that runs do not overlap. */
const runTimeout = Duration.minutes(14);

export class Maintenance extends Construct {
  readonly recoverRequests: GatewayFunction;
  readonly verifyRollups: GatewayFunction;

  constructor(scope: Construct, id: string, props: MaintenanceProps) {
    super(scope, id);
    this.recoverRequests = this.createRequestRecovery(props);
    this.addSchedule('RecoverRequestsSchedule', Schedule.rate(interval), this.recoverRequests);
    this.verifyRollups = this.createRollupVerification(props);
    // Several runs, since one may not have the time for all organizations: from 02:00 to 05:45 UTC.
    const nightly = Schedule.cron({ minute: `0/${interval.toMinutes()}`, hour: '2-5' });
    this.addSchedule('VerifyRollupsSchedule', nightly, this.verifyRollups);
  }

  private createRequestRecovery(props: MaintenanceProps): GatewayFunction {
    const { settings, chat, logRecovery, logEntries, costRollups, prices } = props;
    const fn = new GatewayFunction(this, 'RecoverRequests', {
      entry: 'maintenance/recover-requests/recover-requests.lambda.ts',
      description: 'Restores the log entries of requests whose function was killed',
      timeout: runTimeout,
      // It looks up the entry of every request.
      memoryMb: largeMemoryMb,
      settings,
    });
    fn.addEnvironment('LOG_RETENTION_DAYS', String(settings.logRetentionDays));
    fn.addEnvironment('CHAT_LOG_GROUP', chat.logGroupName);
    fn.allow({ actions: ['logs:FilterLogEvents'], resources: [chat.function.logGroup.logGroupArn] });
    const { queue, deadLetterQueue } = logRecovery;
    fn.addEnvironment('LOST_ENTRIES_QUEUE_URL', queue.queueUrl);
    fn.addEnvironment('LOST_ENTRIES_DEAD_LETTER_QUEUE_URL', deadLetterQueue.queueUrl);
    fn.allow({ actions: ['sqs:GetQueueAttributes'], resources: [queue.queueArn, deadLetterQueue.queueArn] });
    fn.addEnvironment('PROVIDERS', JSON.stringify(settings.providers));
    logEntries.grantRestore(fn);
    prices.grantFind(fn);
    costRollups.grantRecover(fn);
    return fn;
  }

  private createRollupVerification(props: MaintenanceProps): GatewayFunction {
    const { settings, directory, logEntries, costRollups } = props;
    const fn = new GatewayFunction(this, 'VerifyRollups', {
      entry: 'maintenance/verify-rollups/verify-rollups.lambda.ts',
      description: "Compares the previous day's cost rollups with the log entries",
      timeout: runTimeout,
      // It reads every entry and every row of the day.
      memoryMb: fullCpuMemoryMb,
      settings,
    });
    directory.grantList(fn);
    logEntries.grantQueryByTime(fn);
    costRollups.grantVerify(fn);
    return fn;
  }

  /** A run that failed is not repeated: the next one does its work. */
  private addSchedule(id: string, schedule: Schedule, fn: GatewayFunction): void {
    const noRetries = { retryAttempts: 0, maxEventAge: interval };
    fn.configureAsyncInvoke(noRetries);
    new Rule(this, id, { schedule, targets: [new LambdaFunction(fn, noRetries)] });
  }
}
