/** Alarms that tell whether every request has a log entry. */

import { gatewayMetric, queueMetric } from '../metrics.ts';
import type { MonitoredResources } from '../resources.ts';
import type { AlarmDefinition } from './alarm-definition.ts';

export function entryAlarms({ stackName, logRecovery }: MonitoredResources): AlarmDefinition[] {
  return [
    {
      id: 'unwritten-entries',
      severity: 'page',
      level: 'alarms',
      summary: 'Neither the table nor the queue accepted a log entry, which now exists only as a log line.',
      metric: gatewayMetric(stackName, 'UnwrittenEntries'),
      comparison: '>=',
      threshold: 1,
      missing: 'notBreaching',
    },
    {
      id: 'lost-entries-waiting',
      severity: 'ticket',
      level: 'alarms',
      summary: 'Log entries wait in the queue of lost entries or in its dead-letter queue.',
      // The recovery publishes it every 15 minutes. SQS's age of the oldest message would not do: it leaves out messages
      // that were received more than three times.
      metric: gatewayMetric(stackName, 'WaitingEntries', { statistic: 'Maximum', minutes: 30 }),
      comparison: '>=',
      threshold: 1,
      missing: 'notBreaching',
    },
    {
      id: 'unreadable-entries',
      severity: 'ticket',
      level: 'all',
      summary: 'The dead-letter queue of lost entries has a message, which nothing processes any more.',
      metric: queueMetric(logRecovery.deadLetterQueue, 'ApproximateNumberOfMessagesVisible', {
        statistic: 'Maximum',
      }),
      comparison: '>=',
      threshold: 1,
      missing: 'notBreaching',
    },
    {
      id: 'killed-requests',
      severity: 'ticket',
      level: 'all',
      summary: 'Within an hour, the function of a request was killed, and its tokens and cost are unknown.',
      metric: gatewayMetric(stackName, 'InterruptedRequests', { minutes: 60 }),
      comparison: '>=',
      threshold: 1,
      missing: 'notBreaching',
    },
    {
      id: 'recovery-missing',
      severity: 'ticket',
      level: 'alarms',
      summary: 'For at least an hour, no run of the function that recovers killed requests was complete.',
      metric: gatewayMetric(stackName, 'RecoveryRuns', { minutes: 60 }),
      comparison: '<',
      threshold: 1,
      missing: 'breaching',
    },
  ];
}
