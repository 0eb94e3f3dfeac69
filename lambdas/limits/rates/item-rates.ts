/**
 * The state of rate limits in an item of the BudgetCounters table, which may have no budgets:
 *
 * - `requests_full_us`, `tokens_full_us`: when the buckets are full again, see `rate.ts`. Missing before the first request.
 * - `active`: the sum of all `active_<bucket>`, see `leases.ts`.
 */

import type { RateLimitName } from '#lambdas/access/rate-limits.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { amountValue } from '../counters/counter.ts';
import { type CountLease, countLeasesOf } from '../counters/leases.ts';
import { type BucketForm, formOf, toMicroseconds, waitUs } from './rate.ts';

export const activeTotal = 'active';

/** Limits that are a rate, by the attribute of their bucket. */
export const bucketAttributes = {
  requests_per_minute: 'requests_full_us',
  tokens_per_minute: 'tokens_full_us',
} as const satisfies Partial<Record<RateLimitName, string>>;

export type BucketName = keyof typeof bucketAttributes;
export const bucketNames = Object.keys(bucketAttributes) as BucketName[];

/** Each write of a request with rate limits changes one of these attributes. */
export const rateStateAttributes: readonly string[] = [activeTotal, ...Object.values(bucketAttributes)];

/** The part of an item that is not about budgets. */
export function rateAttributesOf(item: Item): Item {
  const leases = new Set(countLeasesOf(item, 0).map(({ attribute }) => attribute));
  const kept = Object.entries(item).filter(
    ([name]) => rateStateAttributes.includes(name) || leases.has(name),
  );
  // Times have more digits than are read as numbers.
  return Object.fromEntries(kept.map(([name, value]) => [name, amountValue(String(value))]));
}

/** The part of the limits that a request asks of one item. */
export interface RateDemand {
  /** The time in which what the request takes refills, in microseconds: at most a minute. */
  chargesUs: Readonly<Partial<Record<BucketName, number>>>;
  /** The most requests at once; `null` without such a limit. */
  concurrent: number | null;
}

function forBuckets<Value>(find: (name: BucketName) => Value): Record<BucketName, Value> {
  return { requests_per_minute: find('requests_per_minute'), tokens_per_minute: find('tokens_per_minute') };
}

export function fullAtUs(item: Item, name: BucketName): number | null {
  const value = item[bucketAttributes[name]];
  return value === undefined ? null : Number(value);
}

export function formsOf(item: Item, nowMs: number): Record<BucketName, BucketForm> {
  return forBuckets((name) => formOf(fullAtUs(item, name), toMicroseconds(nowMs)));
}

/** From the last write of this process: how a bucket was, and the form that was right when it was not certain. */
interface KnownBucket {
  fullAtUs: number | null;
  form: BucketForm;
}

export type KnownBuckets = Readonly<Record<BucketName, KnownBucket>>;

/** Other processes only fill a bucket, except for requests that return tokens. */
function isFillingFor({ fullAtUs }: KnownBucket, nowMs: number): boolean {
  return formOf(fullAtUs, toMicroseconds(nowMs)) === 'filling';
}

/** The forms with which the next write is most likely to succeed. */
export function expectedForms(
  known: KnownBuckets | undefined,
  nowMs: number,
): Record<BucketName, BucketForm> {
  return forBuckets((name) => {
    if (known === undefined) return 'full';
    return isFillingFor(known[name], nowMs) ? 'filling' : known[name].form;
  });
}

/** After a write with these forms, or one that has failed for which they are right. `item` may have some attributes only. */
export function knownAfter(
  item: Item,
  forms: Readonly<Record<BucketName, BucketForm>>,
  { before, nowMs }: { before: KnownBuckets | undefined; nowMs: number },
): KnownBuckets {
  return forBuckets((name) => {
    const earlier = before?.[name];
    const isCertain = earlier !== undefined && isFillingFor(earlier, nowMs);
    const fullAt = fullAtUs(item, name) ?? earlier?.fullAtUs ?? null;
    return { fullAtUs: fullAt, form: isCertain ? earlier.form : forms[name] };
  });
}

export interface RateRefusalReason {
  limit: RateLimitName;
  /** When a request can succeed at the earliest, if no other one takes its place. */
  retryAfterMs: number;
}

/** Nobody knows when a request in progress ends. */
const concurrencyRetryMs = 1000;

/** The limit that refuses for the longest time; `null` if none does. Leases that have expired count as free. */
export function rateRefusalOf(item: Item, demand: RateDemand, nowMs: number): RateRefusalReason | null {
  const nowUs = toMicroseconds(nowMs);
  const reasons: RateRefusalReason[] = bucketNames.flatMap((limit) => {
    const chargeUs = demand.chargesUs[limit];
    const us = chargeUs === undefined ? 0 : waitUs(fullAtUs(item, limit), chargeUs, nowUs);
    return us === 0 ? [] : { limit, retryAfterMs: Math.ceil(us / 1000) };
  });
  if (demand.concurrent !== null && activeOf(item, nowMs) >= demand.concurrent) {
    reasons.push({ limit: 'concurrent', retryAfterMs: concurrencyRetryMs });
  }
  return reasons.reduce<RateRefusalReason | null>(
    (longest, reason) => (longest === null || reason.retryAfterMs > longest.retryAfterMs ? reason : longest),
    null,
  );
}

/** Without the leases of functions that were killed. */
function activeOf(item: Item, nowMs: number): number {
  return Number(item[activeTotal] ?? 0) - countOf(expiredCountsOf(item, nowMs));
}

export function expiredCountsOf(item: Item, nowMs: number): CountLease[] {
  return countLeasesOf(item, nowMs).filter(({ isExpired, count }) => isExpired && count > 0);
}

export function countOf(leases: readonly CountLease[]): number {
  return leases.reduce((sum, { count }) => sum + count, 0);
}
