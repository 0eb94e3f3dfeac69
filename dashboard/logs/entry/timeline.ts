/** The parts of a request's time that the gateway and the provider took. */
import { formatRoundShare, formatShare } from '#dashboard/components/values/number-format.ts';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';

export type PhaseName = 'gateway' | 'first_token' | 'provider' | 'generation';

export interface Phase {
  name: PhaseName;
  title: string;
  durationMs: number;
}

type TimedEntry = Pick<LogEntryDetails, 'latency_ms' | 'time_to_first_token_ms' | 'overhead_ms' | 'outcome'>;

/**
 * The phases add up to the latency. The gateway's own share is one phase, although a part of it lies after the provider's
 * first byte, because the entry has only their sum.
 */
export function phasesOf({
  latency_ms: latencyMs,
  time_to_first_token_ms: firstTokenMs,
  overhead_ms: overheadMs,
}: TimedEntry): Phase[] {
  if (overheadMs === null) return [{ name: 'gateway', title: 'Gateway', durationMs: latencyMs }];
  const gatewayMs = Math.min(overheadMs, latencyMs);
  const gateway: Phase = { name: 'gateway', title: 'Gateway', durationMs: gatewayMs };
  if (firstTokenMs === null) {
    return [gateway, { name: 'provider', title: 'Provider', durationMs: latencyMs - gatewayMs }];
  }
  const firstTokenAtMs = Math.min(Math.max(firstTokenMs, gatewayMs), latencyMs);
  return [
    gateway,
    { name: 'first_token', title: 'Provider until the first token', durationMs: firstTokenAtMs - gatewayMs },
    { name: 'generation', title: 'Generation', durationMs: latencyMs - firstTokenAtMs },
  ];
}

/** Says who took the time, as a sentence. */
export function describeTime(entry: TimedEntry): string {
  if (entry.outcome === 'interrupted') {
    return 'The gateway stopped before the response ended, so only the time until the request was sent is known.';
  }
  if (entry.overhead_ms === null) return 'The gateway rejected the request before a provider was called.';
  if (entry.latency_ms === 0) return 'The request took less than a millisecond.';
  const [gateway] = phasesOf(entry);
  const gatewayShare = (gateway?.durationMs ?? 0) / entry.latency_ms;
  return gatewayShare > 0.5
    ? `The gateway took ${roundedShare(gatewayShare)} of the time.`
    : `The provider took ${roundedShare(1 - gatewayShare)} of the time.`;
}

/** Without "100%" for a part that is not everything. */
function roundedShare(share: number): string {
  if (share > 0.9995 && share < 1) return `more than ${formatShare(0.999)}`;
  return formatRoundShare(share > 0.99 ? share : Math.round(share * 100) / 100);
}
