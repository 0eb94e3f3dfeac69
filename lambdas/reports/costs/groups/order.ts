/** The figures of groups, also those by which they can be sorted. */
import { percentilesOf } from '#lambdas/costs/rollups/histogram.ts';
import { errorRequestsOf, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { meanUsd, type Usd } from '#lambdas/platform/money.ts';

/** `null` without requests of which the figure could be; such groups are last in either order. */
export type Measure = (totals: Totals) => Usd | number | null;

export function latencyOf({ histograms, latency_ms }: Totals) {
  return percentilesOf('latency_ms', histograms, latency_ms);
}

export function firstTokenOf({ histograms }: Totals) {
  return percentilesOf('time_to_first_token_ms', histograms);
}

/** `null` without requests whose durations are known. */
export function meanMs(sumMs: number, { requests, interrupted_requests }: Totals): number | null {
  const count = requests - interrupted_requests;
  return count > 0 ? sumMs / count : null;
}

/** The values of `order_by`. */
export const measures = {
  cost_usd: ({ cost_usd }) => cost_usd,
  requests: ({ requests }) => requests,
  rejected_requests: ({ rejected_requests }) => rejected_requests,
  tokens: ({ input_tokens, output_tokens }) => input_tokens + output_tokens,
  errors: errorRequestsOf,
  error_rate: (totals) => (totals.requests > 0 ? errorRequestsOf(totals) / totals.requests : null),
  mean_cost_usd: ({ cost_usd, requests }) => (requests > 0 ? meanUsd(cost_usd, requests) : null),
  mean_latency_ms: (totals) => meanMs(totals.latency_ms, totals),
  latency_p50: (totals) => latencyOf(totals)?.p50 ?? null,
  latency_p95: (totals) => latencyOf(totals)?.p95 ?? null,
  latency_p99: (totals) => latencyOf(totals)?.p99 ?? null,
  time_to_first_token_p50: (totals) => firstTokenOf(totals)?.p50 ?? null,
  time_to_first_token_p95: (totals) => firstTokenOf(totals)?.p95 ?? null,
} as const satisfies Record<string, Measure>;

export type GroupOrder = keyof typeof measures;

export const groupOrders = Object.keys(measures) as GroupOrder[];

/** The default: most errors cost nothing. */
export const errorCodeMeasure: Measure = ({ requests, rejected_requests }) => requests + rejected_requests;

/** Whether the order needs histograms, which rows by session, user and error code do not have. */
export function isPercentile(order: GroupOrder): boolean {
  return /_p\d\d$/.test(order);
}
