/** Metrics of the gateway and of AWS, with the dimensions under which they are published. */

import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { type MetricName, metricNamespace } from '#lambdas/platform/telemetry/metrics.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import type { GatewayRestApi } from '../api/rest-api.ts';

type Statistic = 'Sum' | 'Average' | 'Minimum' | 'Maximum' | 'SampleCount' | `p${number}`;

export interface Aggregation {
  /** Default: `Sum`. */
  statistic?: Statistic;
  /** Default: 5. */
  minutes?: number;
  label?: string;
}

export function gatewayMetric(stackName: string, name: MetricName, aggregation: Aggregation = {}): Metric {
  return metric(metricNamespace, name, { Stack: stackName }, aggregation);
}

/** A detailed metric of an operation other than chat completions. */
export function operationMetric(
  stackName: string,
  name: MetricName,
  operation: OperationName,
  aggregation: Aggregation = {},
): Metric {
  return metric(metricNamespace, name, { Stack: stackName, Operation: operation }, aggregation);
}

/**
 * `FunctionName` alone covers the invocations of all versions and aliases, also those through the function URL:
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-view.html
 */
export function functionMetric(fn: IFunction, name: string, aggregation: Aggregation = {}): Metric {
  return metric('AWS/Lambda', name, { FunctionName: fn.functionName }, aggregation);
}

/**
 * A period for the errors of functions with a timeout of 15 minutes: the time of a metric is that of the invocation's start,
 * so that a shorter one can have passed when it is published.
 */
export const errorPeriodMinutes = 20;

/** Published also without detailed metrics, and for all methods together. */
export function apiMetric({ api, stageName }: GatewayRestApi, name: string, aggregation: Aggregation = {}) {
  return metric('AWS/ApiGateway', name, { ApiName: api.restApiName, Stage: stageName }, aggregation);
}

export function queueMetric(queue: IQueue, name: string, aggregation: Aggregation = {}): Metric {
  return metric('AWS/SQS', name, { QueueName: queue.queueName }, aggregation);
}

/** Does not include the table's indexes. */
export function tableMetric(table: ITable, name: string, aggregation: Aggregation = {}): Metric {
  return metric('AWS/DynamoDB', name, { TableName: table.tableName }, aggregation);
}

export function indexMetric(
  table: ITable,
  indexName: string,
  name: string,
  aggregation: Aggregation = {},
): Metric {
  const dimensions = { TableName: table.tableName, GlobalSecondaryIndexName: indexName };
  return metric('AWS/DynamoDB', name, dimensions, aggregation);
}

/** Entries that the table accepted. */
export function entryWrites(logEntries: ITable, aggregation: Aggregation = {}): Metric {
  const dimensions = { TableName: logEntries.tableName, Operation: 'PutItem' };
  const statistic = 'SampleCount';
  return metric('AWS/DynamoDB', 'SuccessfulRequestLatency', dimensions, { ...aggregation, statistic });
}

/** The concurrent invocations of all functions of the account in the region, which its quota limits. */
export function accountConcurrency(aggregation: Aggregation = {}): Metric {
  return metric('AWS/Lambda', 'ConcurrentExecutions', {}, { statistic: 'Maximum', ...aggregation });
}

/** The variables of the expression are the names of the metrics, which all have the same period. */
export function expression(formula: string, metrics: Record<string, Metric>, label?: string): MathExpression {
  const [first] = Object.values(metrics);
  return new MathExpression({
    expression: formula,
    usingMetrics: metrics,
    label,
    period: first?.period ?? Duration.minutes(5),
  });
}

/** Adds up metrics that have no value in periods without an event. */
export function sum(metrics: readonly Metric[], label?: string): MathExpression {
  const variables = metrics.map((value, index) => [`m${index + 1}`, value] as const);
  const formula = variables.map(([name]) => `FILL(${name}, 0)`).join(' + ');
  return expression(formula, Object.fromEntries(variables), label);
}

function metric(
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string>,
  { statistic = 'Sum', minutes = 5, label }: Aggregation,
): Metric {
  return new Metric({
    namespace,
    metricName,
    dimensionsMap,
    statistic,
    period: Duration.minutes(minutes),
    label,
  });
}
