/**
 * Leases: what requests in progress hold in an item of a counter, until they end.
 *
 * Leases are summed by the time at which they expire, so that an item does not grow with the number of requests. A function
 * renews the leases of a request that takes longer: what is left in a bucket that has expired belongs to functions that
 * were killed, or to writes whose response was lost. Whoever needs it releases the whole bucket, in one write.
 *
 * - `leased_<day>_<bucket>`: the amount of the budgets of a UTC day and its month.
 * - `active_<bucket>`: the requests that count as concurrent.
 */
import { secondMs } from '#lambdas/platform/duration.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { addUsd, compareUsd, isPositive, type Usd } from '#lambdas/platform/money.ts';

/**
 * The time for which a lease holds at least; at most, it is the length of a bucket more. It is renewed early enough for a failed
 * renewal to be repeated.
 */
const minLeaseMs = 60 * secondMs;
export const renewalIntervalMs = 25 * secondMs;
const bucketMs = 30 * secondMs;

/** The bucket of a lease that is written now. */
export function leaseBucketAt(nowMs: number): number {
  return Math.ceil((nowMs + minLeaseMs) / bucketMs);
}

function isExpired(bucket: number, nowMs: number): boolean {
  return bucket * bucketMs <= nowMs;
}

const leasedPrefix = 'leased_';
const activePrefix = 'active_';

export function leasedAttribute(day: string, bucket: number): string {
  return `${leasedPrefix}${day}_${bucket}`;
}

export function activeAttribute(bucket: number): string {
  return activePrefix + bucket;
}

export interface AmountLease {
  attribute: string;
  /** Such as `2026-11-30`. */
  day: string;
  usd: Usd;
  isExpired: boolean;
}

export function amountLeasesOf(item: Item, nowMs: number): AmountLease[] {
  return Object.entries(item).flatMap(([attribute, value]) => {
    if (!attribute.startsWith(leasedPrefix)) return [];
    const [day = '', bucket] = attribute.slice(leasedPrefix.length).split('_');
    return { attribute, day, usd: String(value), isExpired: isExpired(Number(bucket), nowMs) };
  });
}

export interface CountLease {
  attribute: string;
  count: number;
  isExpired: boolean;
}

export function countLeasesOf(item: Item, nowMs: number): CountLease[] {
  return Object.entries(item).flatMap(([attribute, value]) => {
    if (!attribute.startsWith(activePrefix)) return [];
    const bucket = Number(attribute.slice(activePrefix.length));
    return { attribute, count: Number(value), isExpired: isExpired(bucket, nowMs) };
  });
}

/** The amounts of leases that have not expired, of all periods. */
export function leasedUsd(item: Item, nowMs: number): Usd {
  return amountLeasesOf(item, nowMs)
    .filter((lease) => !lease.isExpired)
    .map(({ usd }) => usd)
    .reduce(addUsd, '0');
}

/** The months and days to which the amounts of leases belong. */
export function sumByPeriod(leases: readonly Pick<AmountLease, 'day' | 'usd'>[]): Map<string, Usd> {
  const sums = new Map<string, Usd>();
  for (const { day, usd } of leases) {
    for (const period of [day, day.slice(0, '2026-11'.length)]) {
      sums.set(period, addUsd(sums.get(period) ?? '0', usd));
    }
  }
  return sums;
}

/** An expression has at most 4 kB and 300 operators. More are rare, since the rollup function returns old ones. */
const maxReleasedLeases = 100;

/** The largest first, so that a write releases what it can. */
export function expiredAmountsOf(item: Item, nowMs: number): AmountLease[] {
  return amountLeasesOf(item, nowMs)
    .filter((lease) => lease.isExpired && isPositive(lease.usd))
    .sort((one, other) => compareUsd(other.usd, one.usd))
    .slice(0, maxReleasedLeases);
}

/** The attributes of buckets that have expired and are empty: nobody writes to them any more. */
export function emptyLeasesOf(item: Item, nowMs: number): string[] {
  const amounts = amountLeasesOf(item, nowMs).map(({ usd, ...lease }) => ({ ...lease, held: Number(usd) }));
  const counts = countLeasesOf(item, nowMs).map(({ count, ...lease }) => ({ ...lease, held: count }));
  return [...amounts, ...counts]
    .filter(({ isExpired, held }) => isExpired && held === 0)
    .map(({ attribute }) => attribute);
}
