/** Alarms in the form that the CDK synthesizes, and their values. */

import { createStackFixture } from '#test/local/stack-fixture.ts';
import { type Alarm, readAlarms } from './alarm.ts';
import type { Metric, MetricStore } from './metric-store.ts';

export const errors: Metric = {
  namespace: 'AiGateway',
  name: 'InternalErrors',
  dimensions: { Stack: 'Fixture' },
};

export const endMs = Date.parse('2026-06-01T12:00:00Z');

const periodMs = 300_000;

const commonProperties = {
  AlarmName: 'Fixture-page-internal-errors',
  AlarmDescription: 'Something failed. Runbook: docs/runbook.md#internal-errors',
  AlarmActions: [{ Ref: 'Topic' }],
  EvaluationPeriods: 1,
  ComparisonOperator: 'GreaterThanOrEqualToThreshold',
  Threshold: 1,
  TreatMissingData: 'notBreaching',
};

const metricProperties = {
  Namespace: errors.namespace,
  MetricName: errors.name,
  Dimensions: [{ Name: 'Stack', Value: { Ref: 'AWS::StackName' } }],
  Period: 300,
  Statistic: 'Sum',
};

/** With `Metrics`, the alarm has no metric of its own. */
function alarmResources(changes: object = {}): Record<string, unknown> {
  const Properties = {
    ...commonProperties,
    ...(!('Metrics' in changes) && metricProperties),
    ...changes,
  };
  return { Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties }, Topic: { Type: 'AWS::SNS::Topic' } };
}

export function readAlarmFixture(changes: object = {}): Alarm {
  const [alarm] = readAlarms(createStackFixture(alarmResources(changes)));
  if (alarm === undefined) throw new Error('The template has no alarm');
  return alarm;
}

/** Records values in the period that ends `age` periods before `endMs`. */
export function recordAt(store: MetricStore, age: number, values: readonly number[], metric = errors): void {
  store.record({ metric, unit: 'Count', values, atMs: endMs - age * periodMs - 1 });
}
