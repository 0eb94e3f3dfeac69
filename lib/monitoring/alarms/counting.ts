/** Alarms that tell whether every log entry is counted, and whether budgets are in effect. */

import { minuteMs } from '#lambdas/platform/duration.ts';
import {
  entryWrites,
  errorPeriodMinutes,
  expression,
  functionMetric,
  gatewayMetric,
  queueMetric,
  sum,
} from '../metrics.ts';
import { eventSourceFunctions, type MonitoredResources } from '../resources.ts';
import type { AlarmDefinition } from './alarm-definition.ts';

export function countingAlarms(resources: MonitoredResources): AlarmDefinition[] {
  const { stackName, rollup, budgetChanges, logEntries } = resources;
  return [
    {
      id: 'counting-delayed',
      severity: 'page',
      level: 'alarms',
      summary: 'The rollups are more than 5 minutes behind the log entries.',
      metric: functionMetric(rollup.function, 'IteratorAge', { statistic: 'Maximum' }),
      comparison: '>',
      threshold: 5 * minuteMs,
      missing: 'notBreaching',
    },
    {
      id: 'uncounted-records',
      severity: 'ticket',
      level: 'all',
      summary: 'The dead-letter queue of the rollups has a record that could not be counted.',
      metric: queueMetric(rollup.deadLetterQueue, 'ApproximateNumberOfMessagesVisible', {
        statistic: 'Maximum',
      }),
      comparison: '>=',
      threshold: 1,
      missing: 'notBreaching',
    },
    {
      id: 'counting-stopped',
      severity: 'page',
      level: 'all',
      summary:
        'In two quarters of an hour, log entries were written, but the rollup function was not invoked.',
      metric: expression('IF(FILL(writes, 0) > 0 AND FILL(invocations, 0) < 1, 1, 0)', {
        writes: entryWrites(logEntries, { minutes: 15 }),
        invocations: functionMetric(rollup.function, 'Invocations', { minutes: 15 }),
      }),
      comparison: '>=',
      threshold: 1,
      // An entry at the end of a quarter is counted in the next one.
      periods: 4,
      breachingPeriods: 2,
      missing: 'notBreaching',
    },
    {
      id: 'rollup-lag',
      severity: 'ticket',
      level: 'all',
      summary: 'For 10 minutes, log entries were counted more than 2 minutes after they had been written.',
      metric: gatewayMetric(stackName, 'RollupLag', { statistic: 'Maximum' }),
      comparison: '>',
      threshold: 120,
      periods: 2,
      missing: 'notBreaching',
    },
    {
      id: 'event-source-failures',
      severity: 'ticket',
      level: 'all',
      summary:
        'The functions that streams and queues invoke failed at least 3 times within 20 minutes; Lambda invokes them again.',
      metric: sum(
        eventSourceFunctions(resources).map((fn) =>
          functionMetric(fn, 'Errors', { minutes: errorPeriodMinutes }),
        ),
      ),
      comparison: '>=',
      threshold: 3,
      missing: 'notBreaching',
    },
    {
      id: 'budget-changes-failed',
      severity: 'ticket',
      level: 'alarms',
      summary: 'A change of a budget has failed repeatedly, and is not in effect.',
      metric: queueMetric(budgetChanges.deadLetterQueue, 'ApproximateNumberOfMessagesVisible', {
        statistic: 'Maximum',
      }),
      comparison: '>=',
      threshold: 1,
      missing: 'notBreaching',
    },
    {
      id: 'rollup-differences',
      severity: 'page',
      level: 'alarms',
      summary: 'The nightly verification found sums of costs that differ from the log entries.',
      metric: gatewayMetric(stackName, 'RollupDifferences', { minutes: 60 }),
      comparison: '>=',
      threshold: 1,
      missing: 'notBreaching',
    },
    {
      id: 'verification-missing',
      severity: 'ticket',
      level: 'all',
      summary: 'For 26 hours, the rollups of all organizations were not verified.',
      metric: gatewayMetric(stackName, 'VerificationRuns', { minutes: 60 }),
      comparison: '<',
      threshold: 1,
      periods: 26,
      missing: 'breaching',
    },
  ];
}
