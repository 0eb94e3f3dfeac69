import type { CostTotals } from '#lambdas/accounts/analytics/responses.ts';

/** The totals of a report: zero and without latencies, but for the given fields. */
export function costTotals(fields: Partial<CostTotals> = {}): CostTotals {
  return {
    requests: 0,
    cost_usd: '0',
    mean_cost_usd: null,
    input_tokens: 0,
    output_tokens: 0,
    cached_input_tokens: 0,
    cache_write_input_tokens: 0,
    reasoning_tokens: 0,
    unpriced_requests: 0,
    assumed_requests: 0,
    assumed_cost_usd: '0',
    estimated_requests: 0,
    estimated_cost_usd: '0',
    uncertain_cost_share: null,
    error_requests: 0,
    provider_error_requests: 0,
    timeout_requests: 0,
    interrupted_requests: 0,
    client_closed_requests: 0,
    rejected_requests: null,
    fallback_attempts: 0,
    mean_latency_ms: null,
    mean_overhead_ms: null,
    latency_ms: null,
    time_to_first_token_ms: null,
    ...fields,
  };
}
