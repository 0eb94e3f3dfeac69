/**
 * Remembers for a moment which owners have reached a rate limit, so that a caller who does not wait costs few writes: a
 * process refuses further requests itself.
 */
import { setAsNewest } from '#lambdas/platform/ttl-cache.ts';
import type { Admission } from '../counters/admit.ts';
import { counterKey } from '../counters/keys.ts';
import type { OwnerDemand } from '../counters/shares.ts';

type RateRefusal = Extract<Admission, { kind: 'rate limit' }>;

export interface RecentRefusals {
  add(demand: OwnerDemand, refusal: RateRefusal, nowMs: number): void;
  /** The refusal with the time that is left; `null` if the request may be admitted. */
  find(demand: OwnerDemand, nowMs: number): RateRefusal | null;
}

interface Remembered {
  refusal: RateRefusal;
  tokens: number;
  retryAtMs: number;
  untilMs: number;
}

/** Requests that cost less than expected return tokens. */
const maxRateMs = 1000;
/** A place is free as soon as a request ends. */
const maxConcurrentMs = 100;

const maxOwners = 10_000;

export function createRecentRefusals(): RecentRefusals {
  const byOwner = new Map<string, Remembered>();
  return {
    add(demand, refusal, nowMs) {
      const { limit, retryAfterMs } = refusal.reason;
      const maxMs = limit === 'concurrent' ? maxConcurrentMs : maxRateMs;
      const remembered = {
        refusal,
        tokens: demand.tokens,
        retryAtMs: nowMs + retryAfterMs,
        untilMs: nowMs + Math.min(retryAfterMs, maxMs),
      };
      setAsNewest(byOwner, counterKey(demand.scope), remembered, maxOwners);
    },
    find(demand, nowMs) {
      const remembered = byOwner.get(counterKey(demand.scope));
      if (remembered === undefined || remembered.untilMs <= nowMs) return null;
      const { refusal, tokens, retryAtMs } = remembered;
      const { limit } = refusal.reason;
      // A smaller request may fit, and so may any under a changed limit.
      if (limit === 'tokens_per_minute' && demand.tokens < tokens) return null;
      if (demand.limits?.[limit] !== refusal.limits[limit]) return null;
      return { ...refusal, reason: { limit, retryAfterMs: retryAtMs - nowMs } };
    },
  };
}
