/**
 * The generic cell rate algorithm, a token bucket that is a single number: the time at which the bucket is full again. It
 * holds a minute's worth of requests or tokens, and refills continuously.
 *
 * So a caller can use its whole limit at once, and in any `t` seconds at most limit × (1 + (t + 1) / 60): twice the limit in a
 * minute in which the first half of it was saved up. Windows that begin with the minute admit as much around its end, and would make
 * every caller wait for the same moment.
 *
 * Times are in microseconds since 1970: a token of a limit of a million a minute takes 60.
 */

/** The capacity of a bucket, as the time in which it fills. */
const capacityUs = 60_000_000;

/**
 * A bucket that lacks less than a millisecond, the unit of clocks, has enough. Otherwise the rounding of charges would refuse the
 * last of 7 requests that come at once under a limit of 7.
 */
const toleranceUs = 999;

export function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000);
}

/** The time in which `count` refills: rounded up, so that the rate does not exceed the limit. */
export function refillUs(count: number, perMinute: number): number {
  return Math.ceil((count * capacityUs) / perMinute);
}

/** A limit's part for one of the items over which it is divided: the sum of all parts is the limit. */
export function partOf(limit: number, index: number, itemCount: number): number {
  return Math.floor(limit / itemCount) + (index < limit % itemCount ? 1 : 0);
}

/**
 * A write can only compare a bucket's time with a number, so there is one condition for buckets that are full, in which the
 * time begins anew, and one for the others, in which it continues.
 */
export type BucketForm = 'full' | 'filling';

/**
 * A bucket that has just become full may also continue. Otherwise processes that write in turn would often take the wrong form,
 * and write twice. So a bucket may have a second's worth more.
 */
const maxLagUs = 1_000_000;

/** The latest time of a bucket that must begin anew. */
export function latestLagUs(nowUs: number): number {
  return nowUs - maxLagUs;
}

export function formOf(fullAtUs: number | null, nowUs: number): BucketForm {
  return fullAtUs === null || fullAtUs <= latestLagUs(nowUs) ? 'full' : 'filling';
}

/** The latest time of a bucket that has enough. */
export function latestFullAtUs(chargeUs: number, nowUs: number): number {
  return nowUs + capacityUs + toleranceUs - chargeUs;
}

/** The time until the bucket has enough; 0 if it has. */
export function waitUs(fullAtUs: number | null, chargeUs: number, nowUs: number): number {
  return Math.max(0, (fullAtUs ?? 0) - latestFullAtUs(chargeUs, nowUs));
}

/** The part of a limit that can be used at the moment, if its bucket is full at the time `fullAtUs`. */
export function remainingOf(perMinute: number, fullAtUs: number | null, nowUs: number): number {
  const missingUs = Math.max(0, (fullAtUs ?? 0) - nowUs - toleranceUs);
  return Math.max(0, Math.floor(((capacityUs - missingUs) * perMinute) / capacityUs));
}
