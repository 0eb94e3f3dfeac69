/** The totals of entries, added up one by one. Counts money in integer units of 10⁻¹² dollars. */
import { addHistograms, bucketAttribute, percentilesOf } from '#lambdas/costs/rollups/histogram.ts';
import type { LogEntry, Outcome } from '#lambdas/request-log/entry.ts';

export interface TotalsOptions {
  hasHistograms: boolean;
  countsRejected: boolean;
}

/** An entry of refused requests stands for all of them, and that of an attempt for none. */
export function countRequests(entries: readonly LogEntry[]): number {
  return entries
    .filter(isRequest)
    .reduce(
      (sum, { outcome, refused_requests: count }) => sum + (outcome === 'rejected' ? (count ?? 1) : 1),
      0,
    );
}

/** Whether the entry is not that of an attempt after which another target has served the request. */
export function isRequest({ superseded_by }: LogEntry): boolean {
  return superseded_by === null;
}

export function expectedTotals(all: LogEntry[], { hasHistograms, countsRejected }: TotalsOptions) {
  const attempts = all.filter(({ outcome }) => outcome !== 'rejected');
  const entries = attempts.filter(isRequest);
  const rejected = countRequests(all.filter(({ outcome }) => outcome === 'rejected'));
  const ended = entries.filter(({ outcome }) => outcome !== 'interrupted');
  const add = (each: LogEntry[], value: (entry: LogEntry) => number | null) =>
    each.reduce((total, entry) => total + (value(entry) ?? 0), 0);
  const withOutcome = (...outcomes: Outcome[]) =>
    entries.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const mean = (value: (entry: LogEntry) => number | null) =>
    ended.length === 0 ? null : Math.round((100 * add(ended, value)) / ended.length) / 100;
  const percentiles = (field: 'latency_ms' | 'time_to_first_token_ms') => {
    const histogram: Record<string, number> = {};
    for (const { [field]: ms } of hasHistograms ? ended : [])
      if (ms !== null) addHistograms(histogram, { [bucketAttribute(field, ms)]: 1 }, 1);
    return percentilesOf(
      field,
      histogram,
      field === 'latency_ms' ? add(ended, (entry) => entry[field]) : null,
    );
  };
  const assumed = attempts.filter(({ pricing }) => pricing === 'assumed');
  const estimated = attempts.filter(
    ({ pricing, usage_source }) =>
      usage_source !== 'provider' && (pricing === 'table' || pricing === 'configuration'),
  );
  return {
    requests: entries.length,
    cost_usd: toDecimal(sumUnits(attempts)),
    input_tokens: add(attempts, (entry) => entry.input_tokens),
    output_tokens: add(attempts, (entry) => entry.output_tokens),
    cached_input_tokens: add(attempts, (entry) => entry.cached_input_tokens),
    cache_write_input_tokens: add(attempts, (entry) => entry.cache_write_input_tokens),
    reasoning_tokens: add(attempts, (entry) => entry.reasoning_tokens),
    unpriced_requests: entries.filter(({ pricing }) => pricing === 'unknown').length,
    assumed_requests: assumed.filter(isRequest).length,
    assumed_cost_usd: toDecimal(sumUnits(assumed)),
    estimated_requests: estimated.filter(isRequest).length,
    estimated_cost_usd: toDecimal(sumUnits(estimated)),
    uncertain_cost_share: shareOf(sumUnits(attempts), sumUnits([...assumed, ...estimated])),
    error_requests: withOutcome('provider_error', 'timeout', 'interrupted'),
    provider_error_requests: withOutcome('provider_error'),
    timeout_requests: withOutcome('timeout'),
    interrupted_requests: withOutcome('interrupted'),
    client_closed_requests: withOutcome('client_closed'),
    rejected_requests: countsRejected ? rejected : null,
    fallback_attempts: attempts.length - entries.length,
    mean_latency_ms: mean((entry) => entry.latency_ms),
    mean_overhead_ms: mean((entry) => entry.overhead_ms),
    latency_ms: percentiles('latency_ms'),
    time_to_first_token_ms: percentiles('time_to_first_token_ms'),
  };
}

export function sumUnits(entries: LogEntry[]): bigint {
  return entries.reduce((total, { cost_usd }) => total + toUnits(cost_usd), 0n);
}

function toUnits(usd: string): bigint {
  const [whole = '', fraction = ''] = usd.split('.');
  return BigInt(whole + fraction.padEnd(12, '0'));
}

/** Rounded half up to four decimals, digit by digit. */
function shareOf(whole: bigint, part: bigint): number | null {
  if (whole === 0n) return null;
  const fifthDecimal = (part * 100_000n) / whole;
  return Number((fifthDecimal + 5n) / 10n) / 10_000;
}

export function expectedShare(whole: string, part: string): number | null {
  const [wholeUnits = 0n, partUnits = 0n] = [whole, part].map((cost_usd) => toUnits(cost_usd));
  return shareOf(wholeUnits, partUnits);
}

function toDecimal(units: bigint): string {
  const all = units.toString().padStart(13, '0');
  return `${all.slice(0, -12)}.${all.slice(-12)}`.replace(/\.?0+$/, '');
}
