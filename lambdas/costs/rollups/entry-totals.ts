/** Calculates the totals that one log entry adds to a rollup row. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { uncertainCosts, uncertainRequests, uncertaintyOf } from '#lambdas/request-log/uncertainty.ts';
import { bucketAttribute, type Histograms } from './histogram.ts';
import { noTotals, type Totals } from './totals.ts';

/** For a request that was rejected before a provider was called. */
export const rejectedTotals: Totals = { ...noTotals, rejected_requests: 1 };

/** For a request that a provider was called for. */
export function entryTotals(entry: LogEntry, { withHistograms }: { withHistograms: boolean }): Totals {
  const uncertainty = uncertaintyOf(entry);
  const isInterrupted = entry.outcome === 'interrupted';
  return {
    ...noTotals,
    requests: 1,
    cost_usd: entry.cost_usd,
    input_tokens: entry.input_tokens ?? 0,
    output_tokens: entry.output_tokens ?? 0,
    cached_input_tokens: entry.cached_input_tokens ?? 0,
    cache_write_input_tokens: entry.cache_write_input_tokens ?? 0,
    reasoning_tokens: entry.reasoning_tokens ?? 0,
    ...uncertainRequests(uncertainty),
    ...uncertainCosts(uncertainty, entry.cost_usd),
    ...outcomeTotals(entry),
    ...(!isInterrupted && { latency_ms: entry.latency_ms, overhead_ms: entry.overhead_ms ?? 0 }),
    ...(!isInterrupted && withHistograms && { histograms: histogramsOf(entry) }),
  };
}

function outcomeTotals({ outcome }: LogEntry): Partial<Totals> {
  switch (outcome) {
    case 'provider_error':
      return { provider_error_requests: 1 };
    case 'timeout':
      return { timeout_requests: 1 };
    case 'client_closed':
      return { client_closed_requests: 1 };
    case 'interrupted':
      return { interrupted_requests: 1 };
    case 'completed':
    case 'rejected':
      return {};
    default:
      return outcome satisfies never;
  }
}

function histogramsOf({ latency_ms, time_to_first_token_ms }: LogEntry): Histograms {
  return {
    [bucketAttribute('latency_ms', latency_ms)]: 1,
    ...(time_to_first_token_ms !== null && {
      [bucketAttribute('time_to_first_token_ms', time_to_first_token_ms)]: 1,
    }),
  };
}
