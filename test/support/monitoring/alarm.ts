/** Reads the alarms of the template. */
import { minuteMs } from '#lambdas/platform/duration.ts';
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import type { LocalStack } from '#local/template/local-stack.ts';
import { assertSupportedProperties } from '#local/template/supported-properties.ts';
import { resourcesOfType } from '#local/template/template.ts';
import {
  asArray,
  asObject,
  asString,
  type JsonObject,
  numberOr,
  optionalString,
} from '#local/untyped-json.ts';
import { assertKnownMetric } from './known-metrics.ts';
import { type Expression, parseMetricMath } from './metric-math/parse.ts';
import type { MetricQuery, Statistic } from './metric-store.ts';

export interface Alarm {
  /** The anchor of its runbook entry. */
  id: string;
  name: string;
  severity: 'page' | 'ticket';
  /** The path of the runbook with the anchor, such as `docs/runbook.md#chat-errors`. */
  runbook: string;
  /** The alarm compares the value of `root`. */
  root: Expression;
  /** By the ids that expressions refer to. */
  definitions: ReadonlyMap<string, Expression | MetricQuery>;
  periodMs: number;
  evaluationPeriods: number;
  datapointsToAlarm: number;
  comparison: Comparison;
  threshold: number;
  treatMissingData: TreatMissingData;
  /** Keeps the state if there are too few samples for a percentile. */
  ignoresLowSamples: boolean;
  /** How long a new alarm is not evaluated. */
  warmUpMs: number;
}

export const comparisons = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
} as const satisfies Record<string, (value: number, threshold: number) => boolean>;

type Comparison = keyof typeof comparisons;

const treatments = ['breaching', 'ignore', 'missing', 'notBreaching'] as const;

type TreatMissingData = (typeof treatments)[number];

const commonProperties = [
  'ActionsEnabled',
  'AlarmActions',
  'AlarmDescription',
  'AlarmName',
  'ComparisonOperator',
  'DatapointsToAlarm',
  'EvaluateLowSampleCountPercentile',
  'EvaluationPeriods',
  'InsufficientDataActions',
  'OKActions',
  'Tags',
  'Threshold',
  'TreatMissingData',
  'WarmUpConfiguration',
];
const metricProperties = [
  'Dimensions',
  'ExtendedStatistic',
  'MetricName',
  'Namespace',
  'Period',
  'Statistic',
  'Unit',
];

/** Throws for alarms that tests cannot evaluate. */
export function readAlarms({ template, resolve }: Pick<LocalStack, 'template' | 'resolve'>): Alarm[] {
  for (const type of ['AWS::CloudWatch::CompositeAlarm', 'AWS::CloudWatch::AnomalyDetector']) {
    const [resource] = resourcesOfType(template, type);
    if (resource !== undefined)
      throw new LocalGatewayError(`${resource.logicalId}: tests do not evaluate ${type}`);
  }
  return resourcesOfType(template, 'AWS::CloudWatch::Alarm').map(({ logicalId, properties }) =>
    readAlarm(asObject(resolve(properties), logicalId), { stackName: template.stackName, logicalId }),
  );
}

function readAlarm(
  properties: JsonObject,
  { stackName, logicalId }: { stackName: string; logicalId: string },
): Alarm {
  const isMath = properties.Metrics !== undefined;
  assertSupportedProperties(
    properties,
    [...commonProperties, ...(isMath ? ['Metrics'] : metricProperties)],
    logicalId,
  );
  const { root, definitions, periodMs } = isMath
    ? readMetrics(properties.Metrics, `${logicalId}.Metrics`)
    : readMetric(properties, logicalId);
  const evaluationPeriods = numberOr(1, properties.EvaluationPeriods, `${logicalId}.EvaluationPeriods`);
  return {
    ...readName(asString(properties.AlarmName, `${logicalId}.AlarmName`), stackName),
    runbook: readRunbook(asString(properties.AlarmDescription, `${logicalId}.AlarmDescription`), logicalId),
    root,
    definitions,
    periodMs,
    evaluationPeriods,
    datapointsToAlarm: numberOr(
      evaluationPeriods,
      properties.DatapointsToAlarm,
      `${logicalId}.DatapointsToAlarm`,
    ),
    comparison: oneOf(keysOf(comparisons), properties.ComparisonOperator, `${logicalId}.ComparisonOperator`),
    threshold: numberOr(Number.NaN, properties.Threshold, `${logicalId}.Threshold`),
    treatMissingData: oneOf(
      treatments,
      properties.TreatMissingData ?? 'missing',
      `${logicalId}.TreatMissingData`,
    ),
    ignoresLowSamples: properties.EvaluateLowSampleCountPercentile === 'ignore',
    warmUpMs: readWarmUp(properties.WarmUpConfiguration, `${logicalId}.WarmUpConfiguration`),
  };
}

/** CloudWatch does not describe exactly when data ends a warm-up early. */
function readWarmUp(value: unknown, where: string): number {
  if (value === undefined) return 0;
  const { WarmUpPeriodDurationInMinutes: minutes, OnlyStartEvaluatingAfterWarmUpPeriodEnds: isFixed } =
    asObject(value, where);
  if (isFixed !== true)
    throw new LocalGatewayError(
      `${where}: tests support only OnlyStartEvaluatingAfterWarmUpPeriodEnds: true`,
    );
  return numberOr(Number.NaN, minutes, `${where}.WarmUpPeriodDurationInMinutes`) * minuteMs;
}

/** Such as `AiGateway-page-chat-errors`. */
function readName(name: string, stackName: string): Pick<Alarm, 'id' | 'name' | 'severity'> {
  const [, severity, id = ''] = /^(page|ticket)-(.+)$/.exec(name.slice(stackName.length + 1)) ?? [];
  if (!name.startsWith(`${stackName}-`) || severity === undefined) {
    throw new LocalGatewayError(
      `The name of the alarm ${name} is not <stack>-page-<id> or <stack>-ticket-<id>`,
    );
  }
  return { id, name, severity: severity === 'page' ? 'page' : 'ticket' };
}

function readRunbook(description: string, logicalId: string): string {
  const [, runbook] = description.split(/\s*Runbook: /);
  if (runbook === undefined)
    throw new LocalGatewayError(`The description of the alarm ${logicalId} does not name its runbook`);
  return runbook.trim();
}

type ReadMetrics = Pick<Alarm, 'root' | 'definitions' | 'periodMs'>;

function readMetric(properties: JsonObject, where: string): ReadMetrics {
  const { ExtendedStatistic, Statistic } = properties;
  const query = readQuery(
    { metric: properties, statistic: ExtendedStatistic ?? Statistic, unit: properties.Unit },
    where,
  );
  return {
    root: { kind: 'reference', id: 'metric' },
    definitions: new Map([['metric', query]]),
    periodMs: readPeriod(properties.Period, where),
  };
}

function readMetrics(value: unknown, where: string): ReadMetrics {
  const definitions = new Map<string, Expression | MetricQuery>();
  const periods = new Set<number>();
  let root: Expression | undefined;
  for (const item of asArray(value, where)) {
    const {
      Id,
      Label: _,
      ReturnData = true,
      Expression: text,
      MetricStat,
      ...others
    } = asObject(item, where);
    assertSupportedProperties(others, [], where);
    const id = asString(Id, `${where}.Id`);
    if (text !== undefined) {
      definitions.set(id, parseMetricMath(asString(text, `${where}.Expression`)));
    } else {
      const { Metric, Period, Stat, Unit, ...unsupported } = asObject(MetricStat, `${where}.MetricStat`);
      assertSupportedProperties(unsupported, [], where);
      periods.add(readPeriod(Period, where));
      const metric = asObject(Metric, `${where}.Metric`);
      definitions.set(id, readQuery({ metric, statistic: Stat, unit: Unit }, where));
    }
    if (ReturnData !== false) root = { kind: 'reference', id };
  }
  const [periodMs, ...otherPeriods] = periods;
  if (root === undefined || periodMs === undefined || otherPeriods.length > 0) {
    throw new LocalGatewayError(`${where} must return one expression, with metrics of the same period`);
  }
  for (const definition of definitions.values()) {
    if ('kind' in definition) assertDefined(definition, definitions, where);
  }
  return { root, definitions, periodMs };
}

function assertDefined(expression: Expression, definitions: ReadMetrics['definitions'], where: string): void {
  if (expression.kind === 'reference' && !definitions.has(expression.id))
    throw new LocalGatewayError(`${where} has no metric with the id ${expression.id}`);
  for (const part of Object.values(expression)) {
    if (typeof part === 'object' && part !== null) assertDefined(part, definitions, where);
  }
}

function readQuery(
  source: { metric: JsonObject; statistic: unknown; unit: unknown },
  where: string,
): MetricQuery {
  const { Namespace, MetricName, Dimensions = [] } = source.metric;
  const dimensions = asArray(Dimensions, `${where}.Dimensions`).map((item) => {
    const { Name, Value } = asObject(item, `${where}.Dimensions`);
    return [asString(Name, `${where}.Dimensions`), String(Value)] as const;
  });
  const metric = {
    namespace: asString(Namespace, `${where}.Namespace`),
    name: asString(MetricName, `${where}.MetricName`),
    dimensions: Object.fromEntries(dimensions),
  };
  assertKnownMetric(metric, where);
  return {
    metric,
    statistic: readStatistic(source.statistic, where),
    unit: optionalString(source.unit, `${where}.Unit`),
  };
}

const statistics = ['Average', 'Maximum', 'Minimum', 'SampleCount', 'Sum'] as const;

function readStatistic(value: unknown, where: string): Statistic {
  const name = asString(value, `${where}: statistic`);
  return /^p\d+(\.\d+)?$/.test(name) ? (name as Statistic) : oneOf(statistics, name, `${where}: statistic`);
}

function readPeriod(value: unknown, where: string): number {
  const seconds = numberOr(0, value, `${where}.Period`);
  if (seconds === 0 || seconds % 60 !== 0)
    throw new LocalGatewayError(`${where}: tests support periods of full minutes, not ${seconds} s`);
  return (seconds / 60) * minuteMs;
}

function oneOf<Value extends string>(allowed: readonly Value[], value: unknown, where: string): Value {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw new LocalGatewayError(`${where}: tests support ${allowed.join(', ')}, not ${value}`);
  return found;
}

function keysOf<Key extends string>(record: Record<Key, unknown>): Key[] {
  return Object.keys(record) as Key[];
}
