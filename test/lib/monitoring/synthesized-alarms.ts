/** Reads the alarms of a synthesized gateway, with readable references. */

import type { Gateway } from '../synthesized-gateway.ts';

export interface AlarmProperties {
  AlarmName: string;
  AlarmDescription: string;
  AlarmActions: unknown[];
  OKActions: unknown[];
  ComparisonOperator: string;
  Threshold: number;
  EvaluationPeriods: number;
  DatapointsToAlarm?: number;
  TreatMissingData?: string;
  WarmUpConfiguration?: {
    WarmUpPeriodDurationInMinutes: number;
    OnlyStartEvaluatingAfterWarmUpPeriodEnds: boolean;
  };
  Metrics: MetricQuery[];
}

interface MetricQuery {
  Id: string;
  Expression?: string;
  MetricStat?: { Metric: MetricProperties; Period: number; Stat: string };
}

interface MetricProperties {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: unknown }[];
}

export function alarmsOf(gateway: Gateway): AlarmProperties[] {
  return gateway
    .ofType('AWS::CloudWatch::Alarm')
    .map(({ resource }) => resource.Properties as unknown as AlarmProperties);
}

export interface ReferencedMetric {
  namespace: string;
  name: string;
  dimensions: string;
  /** Such as `Sum of 5 min`. */
  aggregation: string;
}

export function metricsOf(gateway: Gateway, alarm: AlarmProperties): ReferencedMetric[] {
  return alarm.Metrics.flatMap(({ MetricStat }) =>
    MetricStat === undefined
      ? []
      : [toReference(gateway, MetricStat.Metric, MetricStat.Stat, MetricStat.Period)],
  );
}

function toReference(
  gateway: Gateway,
  { Namespace, MetricName, Dimensions = [] }: MetricProperties,
  statistic: string,
  seconds: number,
): ReferencedMetric {
  return {
    namespace: Namespace,
    name: MetricName,
    dimensions: Dimensions.map(({ Name, Value }) => `${Name}=${gateway.readable(Value)}`).join(', '),
    aggregation: `${statistic} of ${seconds / 60} min`,
  };
}

export function expressionsOf({ Metrics }: AlarmProperties): string[] {
  return Metrics.flatMap(({ Expression }) => Expression ?? []);
}

const symbols: Record<string, string> = {
  GreaterThanOrEqualToThreshold: '>=',
  GreaterThanThreshold: '>',
  LessThanThreshold: '<',
};

/** Describes when an alarm is raised, in one line, such as `FILL(Errors, 0) (Sum of 5 min, FunctionName=Chat/Function) >= 5`. */
export function conditionOf(gateway: Gateway, alarm: AlarmProperties): string {
  const metrics = metricsOf(gateway, alarm);
  const [first, ...others] = metrics;
  const [formula = ''] = expressionsOf(alarm);
  const source =
    others.length === 0 && formula.startsWith('FILL(value,')
      ? `${formula.replace('value', first?.name ?? '')} (${first?.aggregation}${first?.dimensions ? `, ${first.dimensions}` : ''})`
      : `${formula} (${first?.aggregation})`;
  const { EvaluationPeriods: periods, DatapointsToAlarm: breaching = periods } = alarm;
  const evaluation = periods === 1 ? '' : `, ${breaching} of ${periods}`;
  const comparison = `${symbols[alarm.ComparisonOperator]} ${alarm.Threshold}`;
  return `${source} ${comparison}${evaluation}, missing ${alarm.TreatMissingData}`;
}
