/** Alarms that tell whether AWS limits the gateway. */

import { accountConcurrency, expression, functionMetric, indexMetric, sum, tableMetric } from '../metrics.ts';
import type { MonitoredResources } from '../resources.ts';
import type { AlarmDefinition } from './alarm-definition.ts';

const concurrencyThreshold = 80;

export function capacityAlarms(resources: MonitoredResources): AlarmDefinition[] {
  const { chat, logEntries } = resources;
  return [
    {
      id: 'chat-throttles',
      severity: 'page',
      level: 'alarms',
      summary:
        'Lambda refused at least 10 invocations of the chat function within 5 minutes, for lack of concurrency.',
      metric: functionMetric(chat.function, 'Throttles'),
      comparison: '>=',
      threshold: 10,
      missing: 'notBreaching',
    },
    concurrencyAlarm(resources),
    {
      id: 'table-throttling',
      severity: 'ticket',
      level: 'all',
      summary: 'DynamoDB throttled at least 10 reads and writes of tables within 5 minutes.',
      metric: sum(tableThrottling(resources)),
      comparison: '>=',
      threshold: 10,
      missing: 'notBreaching',
    },
    {
      id: 'index-throttling',
      severity: 'ticket',
      level: 'all',
      summary: 'DynamoDB throttled at least 10 writes to the indexes of the log entries within 5 minutes.',
      metric: sum(logEntries.indexNames.map((name) => indexMetric(logEntries, name, 'WriteThrottleEvents'))),
      comparison: '>=',
      threshold: 10,
      missing: 'notBreaching',
    },
  ];
}

function concurrencyAlarm({ settings, chat }: MonitoredResources): AlarmDefinition {
  const { chatConcurrency } = settings;
  const common = {
    id: 'concurrency',
    severity: 'ticket',
    level: 'all',
    comparison: '>=',
    missing: 'notBreaching',
  } as const;
  if (chatConcurrency === null) {
    return {
      ...common,
      summary: `The functions of the account use at least ${concurrencyThreshold} % of its concurrency.`,
      // Service Quotas names this metric as the one for the quota of concurrent executions, L-B99A9384.
      metric: expression('100 * used / SERVICE_QUOTA(used)', { used: accountConcurrency() }),
      threshold: concurrencyThreshold,
    };
  }
  return {
    ...common,
    summary: `The chat function uses at least ${concurrencyThreshold} % of chatConcurrency.`,
    metric: functionMetric(chat.function, 'ConcurrentExecutions', { statistic: 'Maximum' }),
    threshold: (concurrencyThreshold * chatConcurrency) / 100,
  };
}

/**
 * At most ten metrics, the limit of an alarm: without the writes to tables that only people change, and without the
 * conversation state, whose failed reads are errors of the requests.
 */
function tableThrottling({
  directory,
  logEntries,
  costRollups,
  budgetCounters,
  prices,
  dashboard,
}: MonitoredResources) {
  const tables = [directory, logEntries, costRollups, budgetCounters];
  const onlyRead = [prices, ...(dashboard === null ? [] : [dashboard.accounts])];
  return [
    ...tables.map((table) => tableMetric(table, 'WriteThrottleEvents')),
    ...[...tables, ...onlyRead].map((table) => tableMetric(table, 'ReadThrottleEvents')),
  ];
}
