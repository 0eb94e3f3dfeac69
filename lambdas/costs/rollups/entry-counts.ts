/** Counts one request in the metrics, and decides whether a failure was the provider's. */
import type { EntryMetricName } from '#lambdas/platform/metrics.ts';
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import { type Uncertainty, uncertaintyOf } from '#lambdas/request-log/uncertainty.ts';

export type EntryCounts = { [Name in EntryMetricName]?: number };

const providerError: EntryCounts = { ProviderErrors: 1 };
const providerErrorResponse: EntryCounts = { ProviderErrors: 1, ProviderErrorResponses: 1 };

/** Counts of 0 are left out, except that `ProviderErrors` is in every count of `Requests`, for the error rate. */
export function countsOf(entry: LogEntry): EntryCounts {
  if (!reachedProvider(entry)) return { RejectedRequests: 1 };
  return {
    Requests: 1,
    ProviderErrors: 0,
    ...(entry.input_tokens && { InputTokens: entry.input_tokens }),
    ...(entry.output_tokens && { OutputTokens: entry.output_tokens }),
    ...uncertaintyCounts(entry),
    ...outcomeCounts(entry),
  };
}

function uncertaintyCounts(entry: LogEntry): EntryCounts {
  const uncertainty = uncertaintyOf(entry);
  return uncertainty === null ? {} : { [uncertaintyMetrics[uncertainty]]: 1 };
}

const uncertaintyMetrics = {
  unpriced: 'UnpricedRequests',
  assumed: 'AssumedRequests',
  estimated: 'EstimatedRequests',
} as const satisfies Record<Uncertainty, EntryMetricName>;

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

/** The gateway gives this status to failures of its own, and 502, 503 or 504 to those of providers. */
const gatewayFailureStatus = 500;

/**
 * The gateway passes on the status of an error that the caller caused, and turns every other failure of a provider into
 * one of 500 or above.
 */
function failureCounts({ status, error_code }: LogEntry): EntryCounts {
  if (status === gatewayFailureStatus) return {};
  const equivalent = status < 400 ? (statusInStream.get(error_code ?? '') ?? null) : status;
  if (equivalent === null) return providerError;
  if (equivalent === 429) return { ProviderThrottles: 1 };
  return equivalent < 500 ? { ProviderRejections: 1 } : providerErrorResponse;
}

/**
 * Errors within a stream, whose response has status 200, that are not the provider's failures: codes of OpenAI's API, which
 * others use too, and of the gateway.
 */
const statusInStream: ReadonlyMap<string, number> = new Map([
  ['content_filter', 400],
  ['context_length_exceeded', 400],
  ['invalid_request_error', 400],
  ['model_not_found', 400],
  ['provider_rejected_request', 400],
  ['insufficient_quota', 429],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
]);
