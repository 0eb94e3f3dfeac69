/** The second part of the dashboard: each provider, function, stream, queue and table. */

import { Stack } from 'aws-cdk-lib';
import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { GatewayFunction } from '#lib/functions/gateway-function.ts';
import {
  type Aggregation,
  accountConcurrency,
  functionMetric,
  indexMetric,
  queueMetric,
  tableMetric,
} from '../metrics.ts';
import {
  allFunctions,
  eventSourceFunctions,
  type MonitoredResources,
  scheduledFunctions,
} from '../resources.ts';
import { byModel, byProvider, graphs, requestsByOperation, text } from './widgets.ts';

export function providerDetails({ stackName, settings }: MonitoredResources): IWidget[][] {
  const models =
    settings.metricModels.length === 0
      ? []
      : [
          graphs(
            { title: 'Requests by model of metricModels', left: byModel(stackName, 'Requests') },
            { title: 'Failures by model', left: byModel(stackName, 'ProviderErrors') },
            { title: 'Latency by model, ms', left: byModel(stackName, 'Latency', ['p50', 'p99']) },
          ),
        ];
  return [
    [text('## Providers and operations', 1)],
    graphs(
      { title: 'Requests by provider', left: byProvider(stackName, 'Requests'), stacked: true },
      {
        title: 'Throttled (429) by provider',
        left: byProvider(stackName, 'ProviderThrottles'),
        stacked: true,
      },
      { title: 'Requests by operation', left: requestsByOperation(stackName), stacked: true },
    ),
    graphs(
      { title: 'Latency by provider, ms', left: byProvider(stackName, 'Latency', ['p50', 'p99']) },
      {
        title: 'Time to first token by provider, ms',
        left: byProvider(stackName, 'TimeToFirstToken', ['p50', 'p99']),
      },
    ),
    ...models,
  ];
}

export function functionDetails(resources: MonitoredResources): IWidget[][] {
  const { chat, logRecovery } = resources;
  const each = (functions: readonly GatewayFunction[], name: string, aggregation: Aggregation = {}) =>
    functions.map((fn) => functionMetric(fn, name, { ...aggregation, label: nameOf(fn) }));
  const all = allFunctions(resources);
  const streams = eventSourceFunctions(resources).filter((fn) => fn !== logRecovery.function);
  const maximum = { statistic: 'Maximum' } as const;
  return [
    [text('## Functions and streams', 1)],
    graphs(
      { title: 'Invocations by function', left: each(all, 'Invocations') },
      { title: 'Errors by function', left: each(all, 'Errors'), stacked: true },
      { title: 'Throttles by function', left: each(all, 'Throttles'), stacked: true },
    ),
    graphs(
      {
        title: 'Slowest of 100 invocations by function, ms',
        left: each(all, 'Duration', { statistic: 'p99' }),
      },
      {
        title: 'Scheduled functions: longest run, ms',
        left: each(scheduledFunctions(resources), 'Duration', maximum),
      },
      {
        title: 'Concurrent invocations',
        left: [
          accountConcurrency({ label: 'all functions of the account' }),
          ...each([chat.function], 'ConcurrentExecutions', maximum),
        ],
      },
    ),
    graphs(
      { title: 'Age of records by stream, ms', left: each(streams, 'IteratorAge', maximum) },
      { title: 'Batches by stream', left: each(streams, 'Invocations') },
      { title: 'Failed batches by stream', left: each(streams, 'Errors') },
    ),
  ];
}

export function queueDetails({ logRecovery, rollup, budgetChanges }: MonitoredResources): IWidget[][] {
  const queues = [
    { label: 'lost entries', queue: logRecovery.queue },
    { label: 'dead letters of lost entries', queue: logRecovery.deadLetterQueue },
    { label: 'dead letters of rollups', queue: rollup.deadLetterQueue },
    { label: 'dead letters of budgets', queue: budgetChanges.deadLetterQueue },
  ];
  const each = (name: string, statistic: Aggregation['statistic']) =>
    queues.map(({ queue, label }) => queueMetric(queue, name, { statistic, label }));
  return [
    [text('## Queues', 1)],
    graphs(
      { title: 'Messages', left: each('ApproximateNumberOfMessagesVisible', 'Maximum') },
      { title: 'Messages in process', left: each('ApproximateNumberOfMessagesNotVisible', 'Maximum') },
      { title: 'Messages sent', left: each('NumberOfMessagesSent', 'Sum') },
    ),
  ];
}

export function tableDetails(resources: MonitoredResources): IWidget[][] {
  const { directory, logEntries, costRollups, prices, budgetCounters, conversationState } = resources;
  const { auditTrail, dashboard } = resources;
  const tables = [
    directory,
    logEntries,
    costRollups,
    prices,
    budgetCounters,
    conversationState,
    auditTrail,
    ...(dashboard === null ? [] : [dashboard.accounts]),
  ];
  const each = (name: string) => tables.map((table) => tableMetric(table, name, { label: nameOf(table) }));
  const eachIndex = (name: string) =>
    logEntries.indexNames.map((index) => indexMetric(logEntries, index, name, { label: index }));
  return [
    [text('## Tables, and indexes of the log entries', 1)],
    graphs(
      { title: 'Throttled reads by table', left: each('ReadThrottleEvents'), stacked: true },
      { title: 'Throttled writes by table', left: each('WriteThrottleEvents'), stacked: true },
      { title: 'Throttled writes by index', left: eachIndex('WriteThrottleEvents'), stacked: true },
    ),
    graphs(
      { title: 'Read units by table', left: each('ConsumedReadCapacityUnits'), stacked: true },
      { title: 'Write units by table', left: each('ConsumedWriteCapacityUnits'), stacked: true },
      { title: 'Write units by index', left: eachIndex('ConsumedWriteCapacityUnits'), stacked: true },
    ),
  ];
}

/** The path of the construct, such as `Reports/Logs`. */
function nameOf(resource: GatewayFunction | ITable): string {
  const path = resource.node.path.slice(Stack.of(resource).node.path.length + 1);
  return path.replace(/\/Function$/, '');
}
