/**
 * The log line of a request that has ended. Loaded while the provider works, and free of imports, so that it adds nothing to
 * a cold start.
 */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { FailedCall } from './exchange.ts';

/**
 * Returns the fields that queries use most and, in `entry`, the whole entry. `entry` is serialized; it and the result have no
 * field that is `null`, to keep the line short.
 */
export function completionLine(entry: JsonObject, failedCall: FailedCall | null): JsonObject {
  return {
    log_id: entry.id,
    operation: entry.operation,
    organization_id: entry.organization_id,
    api_key_id: entry.api_key_id,
    provider: entry.provider,
    model: entry.model,
    stream: entry.stream,
    status: entry.status,
    outcome: entry.outcome,
    error_code: entry.error_code,
    refused_requests: entry.refused_requests,
    ...(failedCall && failureFields(failedCall, entry)),
    provider_request_id: entry.provider_request_id,
    input_tokens: entry.input_tokens,
    output_tokens: entry.output_tokens,
    // A number, unlike the exact text in the entry, so that queries can add it up.
    cost_usd: Number(entry.cost_usd),
    pricing: entry.pricing,
    usage_source: entry.usage_source,
    retries: entry.retries,
    latency_ms: entry.latency_ms,
    overhead_ms: entry.overhead_ms,
    time_to_first_token_ms: entry.time_to_first_token_ms,
    provider_latency_ms: providerLatencyMs(entry),
    entry,
  };
}

function providerLatencyMs({ latency_ms, overhead_ms }: JsonObject): number | undefined {
  return overhead_ms === undefined ? undefined : Math.max(0, Number(latency_ms) - Number(overhead_ms));
}

/** Nothing if the gateway itself caused the error. */
function failureFields({ response, error }: FailedCall, { stream }: JsonObject): JsonObject {
  if (error.code === 'internal_error' || error.code === 'service_unavailable') return {};
  if (response.kind === 'failure' && response.status !== null) {
    return { failure_kind: 'status', provider_status: response.status };
  }
  return { failure_kind: failureKind({ response, error }, stream === true) };
}

/**
 * `connection`: the provider was not reached; `timeout`: it missed a deadline; `truncated`: its stream ended early;
 * `error_in_stream`: it reported an error in a stream; `invalid_response`: with a successful status, it sent no completion,
 * or only a part of one.
 */
function failureKind({ response, error }: FailedCall, isStream: boolean): string {
  if (error.code === 'provider_timeout') return 'timeout';
  if (response.kind === 'failure') return 'connection';
  if (!isStream) return 'invalid_response';
  const { facts } = response.reader;
  if (facts.error !== null) return 'error_in_stream';
  return facts.started ? 'truncated' : 'invalid_response';
}
