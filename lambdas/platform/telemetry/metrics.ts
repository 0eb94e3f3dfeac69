/**
 * The gateway's own CloudWatch metrics. A function publishes them by printing a log line in the embedded metric format,
 * which needs no call: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 *
 * `metrics` is the single definition of their names and units. Alarms and the CloudWatch dashboard use it.
 */

import {
  type LogMetricValues,
  type MetricSettings,
  type MonitoringLevel,
  metricNamespace,
} from './log-metrics.ts';

export {
  type MetricSettings,
  type MonitoringLevel,
  metricNamespace,
  monitoringLevels,
} from './log-metrics.ts';

interface MetricDefinition {
  unit: 'Count' | 'Milliseconds' | 'Seconds' | 'None';
  /** The lowest level that publishes the metric. */
  level: Exclude<MonitoringLevel, 'off'>;
  /**
   * Whether it is also published for each provider, for the models of the setting `metricModels`, and for each operation
   * other than chat completions.
   */
  detailed?: true;
}

/**
 * From log entries, by the rollup function. The counts include only requests that reached a provider, and each attempt of a
 * request to a route like a request.
 */
const entryMetrics = {
  Requests: { unit: 'Count', level: 'alarms', detailed: true },
  /**
   * Failures of the provider: no response, one that callers get as a status of 500 or above, such as the refusal of the
   * gateway's credential, or an error within a stream.
   */
  ProviderErrors: { unit: 'Count', level: 'alarms', detailed: true },
  /** The part of `ProviderErrors` that callers got as a status of 500 or above. */
  ProviderErrorResponses: { unit: 'Count', level: 'all' },
  ProviderTimeouts: { unit: 'Count', level: 'all' },
  /** Responses of the provider with the status 429, and such errors within a stream. */
  ProviderThrottles: { unit: 'Count', level: 'all', detailed: true },
  /** Responses of the provider that callers caused, and get as another status from 400 to 499. */
  ProviderRejections: { unit: 'Count', level: 'all' },
  /** The part of `Requests` after which another target of a route has served the request. They have no durations. */
  FallbackAttempts: { unit: 'Count', level: 'all', detailed: true },
  ClientDisconnects: { unit: 'Count', level: 'all' },
  /** Requests that were refused before they reached a provider. */
  RejectedRequests: { unit: 'Count', level: 'all' },
  /** The part of `RejectedRequests` that rate limits refused. Each entry is an observation, since it can stand for several requests. */
  RateLimitedRequests: { unit: 'Count', level: 'all' },
  /** Requests whose function was killed, and whose result is unknown. */
  InterruptedRequests: { unit: 'Count', level: 'all' },
  InputTokens: { unit: 'Count', level: 'all' },
  OutputTokens: { unit: 'Count', level: 'all' },
  CostUsd: { unit: 'None', level: 'all', detailed: true },
  /** The part of `CostUsd` that is assumed or estimated. */
  UncertainCostUsd: { unit: 'None', level: 'all' },
  UnpricedRequests: { unit: 'Count', level: 'all' },
  AssumedRequests: { unit: 'Count', level: 'all' },
  /** Requests with estimated usage and a certain price. */
  EstimatedRequests: { unit: 'Count', level: 'all' },
  Latency: { unit: 'Milliseconds', level: 'all', detailed: true },
  TimeToFirstToken: { unit: 'Milliseconds', level: 'all', detailed: true },
  GatewayOverhead: { unit: 'Milliseconds', level: 'all' },
} as const satisfies Record<string, MetricDefinition>;

/** From log lines; both levels publish them. */
const logMetrics = {
  InternalErrors: { unit: 'Count', level: 'alarms' },
  QueuedEntries: { unit: 'Count', level: 'alarms' },
  UnwrittenEntries: { unit: 'Count', level: 'alarms' },
  RejectedKeys: { unit: 'Count', level: 'alarms' },
  RateLimitsNotChecked: { unit: 'Count', level: 'alarms' },
  MisconfiguredTargets: { unit: 'Count', level: 'alarms' },
  RequestsWithoutTarget: { unit: 'Count', level: 'alarms' },
  RecoveryRuns: { unit: 'Count', level: 'alarms' },
  RecoveredEntries: { unit: 'Count', level: 'alarms' },
  WaitingEntries: { unit: 'Count', level: 'alarms' },
  VerificationRuns: { unit: 'Count', level: 'alarms' },
  RollupDifferences: { unit: 'Count', level: 'alarms' },
  CanaryFailures: { unit: 'Count', level: 'alarms' },
} as const satisfies Record<keyof LogMetricValues, MetricDefinition>;

export const metrics = {
  ...entryMetrics,
  /** From the write of a log entry until it is counted. */
  RollupLag: { unit: 'Seconds', level: 'all' },
  ...logMetrics,
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof metrics;
export type EntryMetricName = keyof typeof entryMetrics;

export const metricNames = Object.keys(metrics) as MetricName[];

export function isDetailed(name: MetricName): boolean {
  const definition: MetricDefinition = metrics[name];
  return definition.detailed === true;
}

/** An array has one value for each observation, at most `maxValues`. */
export type MetricValues = { [Name in MetricName]?: number | readonly number[] };

/** The limit of the embedded metric format. */
export const maxValues = 100;

export interface MetricScope {
  /** Milliseconds since 1970. */
  atMs: number;
  provider?: string | null;
  /** `provider/model`, only if the setting `metricModels` names it. */
  model?: string | null;
  /** `null` for chat completions, whose counts and costs are the total without the other operations. */
  operation?: string | null;
}

/** Returns the fields of a log line that publish the values; none if the level includes no metric of them. */
type MetricFields = (values: MetricValues, scope: MetricScope) => object;

export function createMetricFields({ level, stackName }: MetricSettings): MetricFields {
  const isPublished = (name: MetricName) => level === 'all' || metrics[name].level === level;
  return (values, { atMs, provider = null, model = null, operation = null }) => {
    const names = (Object.keys(values) as MetricName[]).filter(isPublished);
    if (names.length === 0) return {};
    const directives = [directive([['Stack']], names)];
    const detailed = level === 'all' && provider !== null ? names.filter(isDetailed) : [];
    if (detailed.length > 0) {
      const dimensionSets = [
        ['Stack', 'Provider'],
        ...(model === null ? [] : [['Stack', 'Model']]),
        ...(operation === null ? [] : [['Stack', 'Operation']]),
      ];
      directives.push(directive(dimensionSets, detailed));
    }
    return {
      Stack: stackName,
      ...(detailed.length > 0 && { Provider: provider }),
      ...(detailed.length > 0 && model !== null && { Model: model }),
      ...(detailed.length > 0 && operation !== null && { Operation: operation }),
      ...Object.fromEntries(names.map((name) => [name, values[name]])),
      _aws: { Timestamp: atMs, CloudWatchMetrics: directives },
    };
  };
}

function directive(dimensionSets: string[][], names: MetricName[]): object {
  return {
    Namespace: metricNamespace,
    Dimensions: dimensionSets,
    Metrics: names.map((name) => ({ Name: name, Unit: metrics[name].unit })),
  };
}
