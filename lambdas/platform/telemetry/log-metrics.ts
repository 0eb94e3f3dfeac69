/**
 * The metrics that log lines publish themselves, in the embedded metric format:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 *
 * They are apart from the metrics of log entries because a cold start of the chat function reads this file.
 */

export const metricNamespace = 'AiGateway';

/** `alarms` publishes the metrics of the default alarms and of log lines, `all` every metric. */
export const monitoringLevels = ['off', 'alarms', 'all'] as const;

export type MonitoringLevel = (typeof monitoringLevels)[number];

/** Counts of the whole stack, published by both levels: most of them are zero, and then nothing is published. */
export interface LogMetricValues {
  /** Responses with 500 or 503 that the gateway itself caused. From every function with an endpoint. */
  InternalErrors?: number;
  /** Log entries that went to the queue because the table did not accept them. */
  QueuedEntries?: number;
  /** Log entries that neither the table nor the queue accepted. */
  UnwrittenEntries?: number;
  /** Requests with a missing, unknown, revoked or expired key. */
  RejectedKeys?: number;
  /** Requests that were admitted because their rate limits could not be checked. */
  RateLimitsNotChecked?: number;
  /** Attempts of requests to routes that failed because of a credential, a permission or the name of a model. */
  MisconfiguredTargets?: number;
  /** Requests to routes that failed at every target. */
  RequestsWithoutTarget?: number;
  /** Complete runs of the function that recovers killed requests. */
  RecoveryRuns?: number;
  /** Log entries that such a run restored. */
  RecoveredEntries?: number;
  /** Messages in the queue of lost entries and its dead-letter queue, at the end of such a run. */
  WaitingEntries?: number;
  /** Nights on which the rollups of all organizations were verified. */
  VerificationRuns?: number;
  /** Rows of the rollups that differ from the log entries. */
  RollupDifferences?: number;
  /** 1 for a failed run of the canary, 0 for a successful one. */
  CanaryFailures?: number;
}

export interface MetricSettings {
  level: MonitoringLevel;
  /** The value of the dimension `Stack`. */
  stackName: string;
}

/** Returns the fields of a line that publish the values. */
export function logMetricFields(
  values: LogMetricValues,
  { level, stackName }: MetricSettings,
  atMs: number,
): object {
  const names = Object.keys(values);
  if (names.length === 0 || level === 'off') return {};
  const metrics = names.map((name) => ({ Name: name, Unit: 'Count' }));
  const directive = { Namespace: metricNamespace, Dimensions: [['Stack']], Metrics: metrics };
  return { Stack: stackName, ...values, _aws: { Timestamp: atMs, CloudWatchMetrics: [directive] } };
}
