/** The definition of an alarm, as data, and the alarm that it becomes. */

import {
  Alarm,
  type CfnAlarm,
  ComparisonOperator,
  type MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { MonitoringLevel } from '#lambdas/platform/telemetry/metrics.ts';
import { expression } from '../metrics.ts';

/** A page needs somebody now, at any hour; a ticket can wait for the next working day. */
export type Severity = 'page' | 'ticket';

export interface AlarmDefinition {
  /** Also the anchor of the alarm's entry in `docs/runbook.md`. */
  id: string;
  severity: Severity;
  /** The lowest level that deploys the alarm. */
  level: Exclude<MonitoringLevel, 'off'>;
  /** One sentence. */
  summary: string;
  /** A metric without data in a period counts as `fill`; an expression has to fill its metrics itself. */
  metric: Metric | MathExpression;
  /** Default: 0. */
  fill?: number;
  comparison: '>=' | '>' | '<';
  threshold: number;
  /** Default: 1. */
  periods?: number;
  /** The number of `periods` that must breach. Default: all. */
  breachingPeriods?: number;
  /** Whether periods without data count as breaching. They do not before the first run of a schedule was due. */
  missing: 'breaching' | 'notBreaching';
}

const comparisonOperators = {
  '>=': ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  '>': ComparisonOperator.GREATER_THAN_THRESHOLD,
  '<': ComparisonOperator.LESS_THAN_THRESHOLD,
};

const missingData = {
  breaching: TreatMissingData.BREACHING,
  notBreaching: TreatMissingData.NOT_BREACHING,
};

/** The name sorts the alarms of a stack by severity, and shows it in notifications. */
export function createAlarm(scope: Construct, stackName: string, definition: AlarmDefinition): Alarm {
  const { id, severity, summary, metric, fill = 0, periods = 1, breachingPeriods } = definition;
  const alarm = new Alarm(scope, id, {
    alarmName: `${stackName}-${severity}-${id}`,
    alarmDescription: `${summary} Runbook: docs/runbook.md#${id}`,
    metric: metric instanceof Metric ? filled(metric, fill) : metric,
    comparisonOperator: comparisonOperators[definition.comparison],
    threshold: definition.threshold,
    evaluationPeriods: periods,
    datapointsToAlarm: breachingPeriods,
    treatMissingData: missingData[definition.missing],
  });
  if (definition.missing === 'breaching') warmUp(alarm, periods * metric.period.toMinutes());
  return alarm;
}

/** CloudFormation may create an alarm long before the schedule whose runs it expects, and what they need. */
const deploymentMinutes = 30;

/**
 * Keeps a new alarm in the state INSUFFICIENT_DATA until its whole window follows the deployment. CloudWatch does so once:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-warm-up.html
 */
function warmUp(alarm: Alarm, windowMinutes: number): void {
  (alarm.node.defaultChild as CfnAlarm).warmUpConfiguration = {
    warmUpPeriodDurationInMinutes: windowMinutes + deploymentMinutes,
    // By default, the warm-up ends with the first value, which may be one that FILL has added.
    onlyStartEvaluatingAfterWarmUpPeriodEnds: true,
  };
}

/**
 * Without a value for every period, CloudWatch looks for earlier ones, and the alarm starts and ends some periods late:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
function filled(metric: Metric, value: number): MathExpression {
  return expression(`FILL(value, ${value})`, { value: metric });
}
