/** How much of the rate limits is left, for the headers of a response. */

import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { type BucketName, fullAtUs } from './item-rates.ts';
import { remainingOf, toMicroseconds } from './rate.ts';

export interface RateState {
  /** Requests or tokens per minute. */
  limit: number;
  /** The part that can be used at once. */
  remaining: number;
  /** The time until the whole limit is available again. */
  resetMs: number;
}

/** `null` without such a limit, which has no headers. */
export interface RateStates {
  requests: RateState | null;
  tokens: RateState | null;
}

export const noRateStates: RateStates = { requests: null, tokens: null };

/** `item` has the attributes after the write, or those that have refused it. All items of an owner are taken to be alike. */
export function rateStatesOf(limits: RateLimits | null, item: Item, nowMs: number): RateStates {
  const nowUs = toMicroseconds(nowMs);
  const stateOf = (name: BucketName): RateState | null => {
    const limit = limits?.[name];
    if (limit === undefined) return null;
    const fullAt = fullAtUs(item, name);
    const resetMs = Math.max(0, Math.ceil(((fullAt ?? 0) - nowUs) / 1000));
    return { limit, remaining: remainingOf(limit, fullAt, nowUs), resetMs };
  };
  return { requests: stateOf('requests_per_minute'), tokens: stateOf('tokens_per_minute') };
}

/** The limits with the least left, of several owners. */
export function tightestOf(states: readonly RateStates[]): RateStates {
  const tightest = (kind: keyof RateStates) =>
    states
      .map((state) => state[kind])
      .reduce(
        (one, other) => (one === null || (other && other.remaining < one.remaining) ? other : one),
        null,
      );
  return { requests: tightest('requests'), tokens: tightest('tokens') };
}
