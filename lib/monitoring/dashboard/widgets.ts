/** The widgets of the CloudWatch dashboard, which has 24 columns. */

import { Duration } from 'aws-cdk-lib';
import {
  GraphWidget,
  type IMetric,
  LegendPosition,
  type MathExpression,
  type Metric,
  SearchExpression,
  SingleValueWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { operationPaths } from '#lambdas/inference/paths.ts';
import { type MetricName, metricNamespace } from '#lambdas/platform/telemetry/metrics.ts';
import { operations, unnamedOperation } from '#lambdas/request-log/operation.ts';
import { expression, gatewayMetric, operationMetric } from '../metrics.ts';

const columns = 24;
const graphHeight = 6;
const periodMinutes = 5;

export function text(markdown: string, height: number): TextWidget {
  return new TextWidget({ markdown, width: columns, height });
}

export interface Graph {
  title: string;
  left: readonly IMetric[];
  /** With the axis on the right. */
  right?: readonly IMetric[];
  stacked?: boolean;
  /** Replaces the range of the dashboard. */
  start?: string;
}

/** Puts graphs side by side. */
export function graphs(...row: Graph[]): GraphWidget[] {
  return row.map(
    ({ title, left, right = [], stacked, start }) =>
      new GraphWidget({
        title,
        left: [...left],
        right: [...right],
        stacked,
        start,
        width: columns / row.length,
        height: graphHeight,
        leftYAxis: { min: 0 },
        rightYAxis: { min: 0 },
        legendPosition: LegendPosition.BOTTOM,
      }),
  );
}

/** Numbers of the last hour, whatever the range of the dashboard. */
export function lastHour(title: string, metrics: readonly (Metric | MathExpression)[]): SingleValueWidget {
  return new SingleValueWidget({
    title,
    metrics: [...metrics],
    start: '-PT1H',
    setPeriodToTimeRange: true,
    width: columns,
    height: 4,
  });
}

type Statistic = 'Sum' | 'p50' | 'p99';

/** One line for each provider that had requests in the last two weeks. */
export function byProvider(stackName: string, name: MetricName, statistics: readonly Statistic[] = ['Sum']) {
  return statistics.map((statistic) => search('Provider', stackName, name, statistic));
}

/** One line for each model of the setting `metricModels`. */
export function byModel(stackName: string, name: MetricName, statistics: readonly Statistic[] = ['Sum']) {
  return statistics.map((statistic) => search('Model', stackName, name, statistic));
}

/**
 * One line for each operation that is served, even without requests. Chat completions, which publish no metric, are the
 * total without the others.
 */
export function requestsByOperation(stackName: string): (Metric | MathExpression)[] {
  const served = operations.filter((operation) => Object.hasOwn(operationPaths, operation));
  const others = served.filter((operation) => operation !== unnamedOperation);
  const requests = gatewayMetric(stackName, 'Requests');
  const metrics = others.map((label) => operationMetric(stackName, 'Requests', label, { label }));
  const variables = Object.fromEntries(metrics.map((metric, index) => [`m${index + 1}`, metric]));
  const formula = ['requests', ...Object.keys(variables).map((name) => `FILL(${name}, 0)`)].join(' - ');
  return [expression(formula, { requests, ...variables }, unnamedOperation), ...metrics];
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html */
function search(dimension: 'Provider' | 'Model', stackName: string, name: MetricName, statistic: Statistic) {
  const filter = `{${metricNamespace},${dimension},Stack} MetricName="${name}" Stack="${stackName}"`;
  const value = `\${PROP('Dim.${dimension}')}`;
  return new SearchExpression({
    expression: `SEARCH('${filter}', '${statistic}', ${periodMinutes * 60})`,
    label: statistic === 'Sum' ? value : `${value} ${statistic}`,
    period: Duration.minutes(periodMinutes),
  });
}
