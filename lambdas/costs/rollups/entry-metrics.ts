/**
 * Publishes the metrics of counted log entries, in log lines for each minute, provider, operation and named model.
 *
 * They are approximate: a redelivered batch is published again. Bills come from the rollups.
 */

import { dayMs, hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import { fromUnits, toUnits } from '#lambdas/platform/money.ts';
import type { Log } from '#lambdas/platform/telemetry/log.ts';
import {
  createMetricFields,
  type EntryMetricName,
  type MetricScope,
  type MetricSettings,
  type MetricValues,
  type MonitoringLevel,
  maxValues,
} from '#lambdas/platform/telemetry/metrics.ts';
import { type LogEntry, reachedProvider, requestsOf } from '#lambdas/request-log/entry.ts';
import { unnamedOperation } from '#lambdas/request-log/operation.ts';
import { type Uncertainty, uncertaintyOf } from '#lambdas/request-log/uncertainty.ts';
import type { RollupRecord } from './row-updates.ts';

/** Never throws. Called once for a batch, after all of it has been counted. */
export type PublishMetrics = (records: readonly RollupRecord[]) => void;

interface EntryMetricsOptions {
  metrics: MetricSettings;
  /** The setting `metricModels`: each is `<provider>/<model>`. */
  models: readonly string[];
  log: Log;
  now(): Date;
}

/** Each value is published by itself: percentiles cannot be computed from sums, nor the number of entries. */
interface Observations {
  /** Milliseconds, like the other durations. */
  Latency: number[];
  TimeToFirstToken: number[];
  GatewayOverhead: number[];
  /** Requests, one value for each entry. */
  RateLimitedRequests: number[];
}

interface RequestGroup extends Required<MetricScope> {
  counts: EntryCounts;
  /** In the units of `toUnits`. */
  cost: bigint;
  uncertainCost: bigint;
  observations: Observations;
}

/**
 * CloudWatch accepts times from 14 days before until two hours after the present, here with a margin for the clocks and the
 * delivery of the line. Other requests are left out: published with the present time, entries that were restored weeks
 * later would raise alarms.
 */
const maxAgeMs = 13 * dayMs;
const maxAheadMs = hourMs;

/**
 * An interrupted request is known only when it is recovered. Until this age it counts then, because no alarm would notice one
 * in the past.
 */
const maxInterruptedAgeMs = dayMs;

export function createEntryMetrics(options: EntryMetricsOptions): PublishMetrics {
  const { metrics, log, now } = options;
  const { level } = metrics;
  if (level === 'off') return () => {};
  const metricFields = createMetricFields(metrics);
  const models = new Set(options.models);
  const publish = (values: MetricValues, scope: MetricScope) => {
    const fields = metricFields(values, scope);
    if ('_aws' in fields) log.info('request_metrics', fields);
  };
  return (records) => {
    if (records.length === 0) return;
    const nowMs = now().getTime();
    const isPublished = ({ atMs }: RequestGroup) => atMs > nowMs - maxAgeMs && atMs < nowMs + maxAheadMs;
    for (const group of groupRequests(records, { level, models, nowMs }).filter(isPublished))
      for (const values of splitValues(group)) publish(values, group);
    // In the minute of a request that was counted late, no alarm would notice the lag.
    publish({ RollupLag: lagSeconds(records, nowMs) }, { atMs: nowMs });
  };
}

/** The longest of the batch. */
function lagSeconds(records: readonly RollupRecord[], nowMs: number): number {
  const firstWrittenAtMs = records.reduce((first, { writtenAtMs }) => Math.min(first, writtenAtMs), nowMs);
  return (nowMs - firstWrittenAtMs) / 1000;
}

interface Scoping {
  level: MonitoringLevel;
  models: ReadonlySet<string>;
  nowMs: number;
}

function groupRequests(records: readonly RollupRecord[], scoping: Scoping): RequestGroup[] {
  const groups = new Map<string, RequestGroup>();
  for (const { entry, before } of records) {
    // A changed entry has a new price or has replaced its placeholder: it is no further request.
    if (before !== null || !isInRollups(entry)) continue;
    const scope = scopeOf(entry, scoping);
    const id = `${scope.atMs}\n${scope.provider}\n${scope.model}\n${scope.operation}`;
    const group: RequestGroup = groups.get(id) ?? {
      ...scope,
      counts: {},
      cost: 0n,
      uncertainCost: 0n,
      observations: { Latency: [], TimeToFirstToken: [], GatewayOverhead: [], RateLimitedRequests: [] },
    };
    addCounts(group.counts, countsOf(entry));
    if (scoping.level === 'all') addDetails(group, entry);
    groups.set(id, group);
  }
  return [...groups.values()];
}

/** The numbers of other entries have not been checked. The gateway writes none. */
function isInRollups(entry: LogEntry): boolean {
  return !reachedProvider(entry) || (entry.provider !== null && entry.model !== null);
}

/**
 * A caller chooses the model, so only the models that the operator has named become a dimension. Chat completions are not one,
 * so that a gateway that serves nothing else pays for no metrics by operation.
 */
function scopeOf(entry: LogEntry, { level, models, nowMs }: Scoping): Required<MetricScope> {
  const completedAtMs = Date.parse(entry.created_at) + entry.latency_ms;
  const isJustRecovered = entry.outcome === 'interrupted' && completedAtMs > nowMs - maxInterruptedAgeMs;
  // CloudWatch stores the values by minute.
  const atMs = Math.floor((isJustRecovered ? nowMs : completedAtMs) / minuteMs) * minuteMs;
  // The other level has only metrics of the stack, and so have rejected requests.
  if (level !== 'all' || !reachedProvider(entry))
    return { atMs, provider: null, model: null, operation: null };
  const model = `${entry.provider}/${entry.model}`;
  return {
    atMs,
    provider: entry.provider,
    model: models.has(model) ? model : null,
    operation: entry.operation === unnamedOperation ? null : entry.operation,
  };
}

function addCounts(sums: EntryCounts, counts: EntryCounts): void {
  for (const name of Object.keys(counts) as (keyof EntryCounts)[])
    sums[name] = (sums[name] ?? 0) + (counts[name] ?? 0);
}

function addDetails(group: RequestGroup, entry: LogEntry): void {
  if (!reachedProvider(entry)) {
    if (entry.refusal?.by === 'rate_limit') group.observations.RateLimitedRequests.push(requestsOf(entry));
    return;
  }
  const cost = toUnits(entry.cost_usd);
  group.cost += cost;
  if (uncertaintyOf(entry) !== null) group.uncertainCost += cost;
  // The end of an interrupted request is unknown, and an attempt is a part of a request.
  if (entry.outcome === 'interrupted' || entry.superseded_by !== null) return;
  const { Latency, TimeToFirstToken, GatewayOverhead } = group.observations;
  Latency.push(entry.latency_ms);
  if (entry.time_to_first_token_ms !== null) TimeToFirstToken.push(entry.time_to_first_token_ms);
  if (entry.overhead_ms !== null) GatewayOverhead.push(entry.overhead_ms);
}

/** The values of each line. There are several if a line would have more than `maxValues` of a metric. */
function splitValues({ counts, cost, uncertainCost, observations }: RequestGroup): MetricValues[] {
  const lines: MetricValues[] = [
    {
      ...counts,
      ...(cost > 0n && { CostUsd: Number(fromUnits(cost)) }),
      ...(uncertainCost > 0n && { UncertainCostUsd: Number(fromUnits(uncertainCost)) }),
    },
  ];
  for (const name of Object.keys(observations) as (keyof Observations)[]) {
    const values = observations[name];
    for (let start = 0; start < values.length; start += maxValues) {
      const line = start / maxValues;
      lines[line] = { ...lines[line], [name]: values.slice(start, start + maxValues) };
    }
  }
  return lines;
}

type EntryCounts = { [Name in EntryMetricName]?: number };

const providerError: EntryCounts = { ProviderErrors: 1 };
const providerErrorResponse: EntryCounts = { ProviderErrors: 1, ProviderErrorResponses: 1 };

/** Counts of 0 are left out, except that `ProviderErrors` is in every count of `Requests`, for the error rate. */
export function countsOf(entry: LogEntry): EntryCounts {
  if (!reachedProvider(entry)) return { RejectedRequests: requestsOf(entry) };
  return {
    Requests: 1,
    ProviderErrors: 0,
    ...(entry.input_tokens && { InputTokens: entry.input_tokens }),
    ...(entry.output_tokens && { OutputTokens: entry.output_tokens }),
    ...uncertaintyCounts(entry),
    ...outcomeCounts(entry),
    ...(entry.superseded_by !== null && { FallbackAttempts: 1 }),
  };
}

const uncertaintyMetrics = {
  unpriced: 'UnpricedRequests',
  assumed: 'AssumedRequests',
  estimated: 'EstimatedRequests',
} as const satisfies Record<Uncertainty, EntryMetricName>;

function uncertaintyCounts(entry: LogEntry): EntryCounts {
  const uncertainty = uncertaintyOf(entry);
  return uncertainty === null ? {} : { [uncertaintyMetrics[uncertainty]]: 1 };
}

function outcomeCounts(entry: LogEntry): EntryCounts {
  switch (entry.outcome) {
    case 'completed':
    case 'rejected':
      return {};
    case 'client_closed':
      return { ClientDisconnects: 1 };
    case 'interrupted':
      return { InterruptedRequests: 1 };
    case 'timeout':
      return { ...failureCounts(entry), ProviderTimeouts: 1 };
    case 'provider_error':
      return failureCounts(entry);
    default:
      return entry.outcome satisfies never;
  }
}

/** A failure of the gateway itself, after it has called the provider. */
const gatewayFailure: Pick<LogEntry, 'status' | 'error_code'> = { status: 500, error_code: 'internal_error' };

/**
 * Errors within a stream, whose response has status 200, that are not the provider's failures: codes of OpenAI's API, which
 * others use too, and of the gateway.
 */
const statusInStream: ReadonlyMap<string, number> = new Map([
  ['content_filter', 400],
  ['context_length_exceeded', 400],
  ['invalid_request_error', 400],
  ['model_not_found', 400],
  ['not_found_error', 404],
  ['provider_rejected_request', 400],
  ['request_too_large', 413],
  ['insufficient_quota', 429],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
]);

/**
 * Callers get the provider's status of an error that they caused, and one of 500 or above for every other failure: that of the
 * provider if they use its API, and otherwise 502, 503 or 504.
 */
function failureCounts({ status, error_code, superseded_by }: LogEntry): EntryCounts {
  if (status === gatewayFailure.status && error_code === gatewayFailure.error_code) return {};
  const equivalent = status < 400 ? (statusInStream.get(error_code ?? '') ?? null) : status;
  if (equivalent === null) return providerError;
  if (equivalent === 429) return { ProviderThrottles: 1 };
  if (equivalent < 500) return { ProviderRejections: 1 };
  // Callers get the response of a later attempt.
  return superseded_by === null ? providerErrorResponse : providerError;
}
