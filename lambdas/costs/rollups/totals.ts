import { fromUnits, toUnits, type Usd } from '#lambdas/platform/money.ts';
import { type LogEntry, requestsOf } from '#lambdas/request-log/entry.ts';
import {
  type UncertainCosts,
  type UncertainRequests,
  uncertainCosts,
  uncertainRequests,
  uncertaintyOf,
} from '#lambdas/request-log/uncertainty.ts';
import { addHistograms, bucketAttribute, type Histograms } from './histogram.ts';

/** The totals of a set of requests and their attempts, or the difference between two such totals, which can be negative. */
export interface Totals extends UncertainRequests, UncertainCosts {
  /** Requests that reached a provider. */
  requests: number;
  /** Like the tokens, also of fallback attempts. */
  cost_usd: Usd;
  input_tokens: number;
  output_tokens: number;
  /** Parts of `input_tokens`. */
  cached_input_tokens: number;
  cache_write_input_tokens: number;
  /** Part of `output_tokens`. */
  reasoning_tokens: number;
  /** Parts of `requests`, by outcome. The others were completed. */
  provider_error_requests: number;
  timeout_requests: number;
  client_closed_requests: number;
  interrupted_requests: number;
  /** Requests that were rejected before they reached a provider. They are in no other sum. Totals by prompt, session and user have none. */
  rejected_requests: number;
  /** Attempts after which another target has served the request. They are no requests, and in no sum of requests or durations. */
  fallback_attempts: number;
  /** Sums of durations, without those of interrupted requests, whose end is unknown. */
  latency_ms: number;
  overhead_ms: number;
  histograms: Histograms;
}

export const countNames = [
  'requests',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'reasoning_tokens',
  'unpriced_requests',
  'assumed_requests',
  'estimated_requests',
  'provider_error_requests',
  'timeout_requests',
  'client_closed_requests',
  'interrupted_requests',
  'rejected_requests',
  'fallback_attempts',
  'latency_ms',
  'overhead_ms',
] as const satisfies readonly (keyof Totals)[];

export const amountNames = [
  'cost_usd',
  'assumed_cost_usd',
  'estimated_cost_usd',
] as const satisfies readonly (keyof Totals)[];

export const sumNames = [...countNames, ...amountNames];
export type SumName = (typeof sumNames)[number];

type CountName = (typeof countNames)[number];
type AmountName = (typeof amountNames)[number];

const noCounts = Object.fromEntries(countNames.map((name) => [name, 0])) as Record<CountName, number>;
const noAmounts = Object.fromEntries(amountNames.map((name) => [name, '0'])) as Record<AmountName, Usd>;

export const noTotals: Totals = { ...noCounts, ...noAmounts, histograms: {} };

export function addTotals(left: Totals, right: Totals): Totals {
  return combine([left, right], 1);
}

export function subtractTotals(left: Totals, right: Totals): Totals {
  return combine([left, right], -1);
}

export function sumTotals(totals: Iterable<Totals>): Totals {
  return combine([noTotals, ...totals], 1);
}

/** Adds the others, times `weight`, to the first. */
function combine([first = noTotals, ...others]: readonly Totals[], weight: 1 | -1): Totals {
  const histograms = { ...first.histograms };
  const sum: Totals = { ...first, histograms };
  for (const name of amountNames) {
    const units = others.reduce((total, totals) => total + toUnits(totals[name]), 0n);
    sum[name] = fromUnits(toUnits(first[name]) + BigInt(weight) * units);
  }
  for (const totals of others) {
    for (const name of countNames) sum[name] += weight * totals[name];
    addHistograms(histograms, totals.histograms, weight);
  }
  return sum;
}

export function isZero(totals: Totals): boolean {
  return (
    countNames.every((name) => totals[name] === 0) &&
    amountNames.every((name) => totals[name] === '0') &&
    Object.keys(totals.histograms).length === 0
  );
}

/** The totals that the entry of requests that were rejected before they reached a provider adds to a rollup row. */
export function rejectedTotals(entry: LogEntry): Totals {
  return { ...noTotals, rejected_requests: requestsOf(entry) };
}

/** The totals that an entry adds to a rollup row if its request, or its attempt, reached a provider. */
export function entryTotals(entry: LogEntry, { withHistograms }: { withHistograms: boolean }): Totals {
  return {
    ...noTotals,
    cost_usd: entry.cost_usd,
    input_tokens: entry.input_tokens ?? 0,
    output_tokens: entry.output_tokens ?? 0,
    cached_input_tokens: entry.cached_input_tokens ?? 0,
    cache_write_input_tokens: entry.cache_write_input_tokens ?? 0,
    reasoning_tokens: entry.reasoning_tokens ?? 0,
    ...uncertainCosts(uncertaintyOf(entry), entry.cost_usd),
    ...(entry.superseded_by === null ? requestTotals(entry, withHistograms) : { fallback_attempts: 1 }),
  };
}

/** The sums that attempts are not in. */
function requestTotals(entry: LogEntry, withHistograms: boolean): Partial<Totals> {
  const isInterrupted = entry.outcome === 'interrupted';
  return {
    requests: 1,
    ...uncertainRequests(uncertaintyOf(entry)),
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

/** Every entry is counted as one or more of these. */
export function countedRequests({ requests, rejected_requests, fallback_attempts }: Totals): number {
  return requests + rejected_requests + fallback_attempts;
}

/** Requests that failed after they had reached a provider. */
export function errorRequestsOf({
  provider_error_requests,
  timeout_requests,
  interrupted_requests,
}: Totals): number {
  return provider_error_requests + timeout_requests + interrupted_requests;
}
