/** Divides what a request asks of its limits over the items of their owner. */

import type { BudgetCounterRef } from '#lambdas/access/directory.ts';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import type { BudgetScope } from '../budgets/budget.ts';
import type { BucketName, RateDemand } from '../rates/item-rates.ts';
import { partOf, refillUs } from '../rates/rate.ts';
import { counterItemCount, counterKey, firstItemIndex } from './keys.ts';

export interface OwnerDemand {
  scope: BudgetScope;
  /** Reserves an amount of more than 0; `null` without a hard budget. */
  budget: { ref: BudgetCounterRef; usd: Usd } | null;
  limits: RateLimits | null;
  /** The assumed number of tokens. */
  tokens: number;
  /** The write shard of the request's log entry, and the number of shards. */
  logShard: number;
  logShards: number;
  receivedAtMs: number;
}

/** The part that the request takes of one of the items over which the owner's limits are divided. */
export interface ItemShare {
  index: number;
  itemCount: number;
  itemKey: string;
  rates: RateDemand;
  /** The item's parts of the limits per minute; `null` without such a limit. */
  parts: Readonly<Record<BucketName, number | null>>;
}

/** The items that can admit a request, the first one to try first. */
export function sharesOf(demand: OwnerDemand): ItemShare[] {
  const { scope, budget, limits, tokens, logShard, logShards } = demand;
  const itemCount = budget?.ref.shards ?? counterItemCount(logShards);
  const first = firstItemIndex(logShard, itemCount);
  return Array.from({ length: itemCount }, (_, place) => (first + place) % itemCount).flatMap((index) => {
    const part = (limit: number | undefined) =>
      limit === undefined ? null : partOf(limit, index, itemCount);
    const requests = part(limits?.requests_per_minute);
    const tokenPart = part(limits?.tokens_per_minute);
    const concurrent = part(limits?.concurrent);
    if (requests === 0 || tokenPart === 0 || concurrent === 0) return [];
    const chargesUs = {
      ...(requests !== null && { requests_per_minute: refillUs(1, requests) }),
      // A request of more than a minute's worth is admitted when the bucket is full.
      ...(tokenPart !== null && { tokens_per_minute: refillUs(Math.min(tokens, tokenPart), tokenPart) }),
    };
    const itemKey = counterKey(scope, index);
    const parts = { requests_per_minute: requests, tokens_per_minute: tokenPart };
    return { index, itemCount, itemKey, rates: { chargesUs, concurrent }, parts };
  });
}
