/**
 * Histograms of durations in milliseconds, from whose counts percentiles follow for any set of rows.
 *
 * Four buckets an octave: the upper bound of a bucket is 19 % above its lower bound. So a percentile is wrong by less than
 * that, and usually by less than 1 %, since requests spread over many buckets.
 */

/** The durations of a log entry that rollups count in histograms, with the first letter of their buckets' attributes. */
const attributePrefixes = { latency_ms: 'l', time_to_first_token_ms: 'f' } as const;

type MeasuredDuration = keyof typeof attributePrefixes;

/** Counts by attribute: the letter of the duration and the number of the bucket, such as `l41`. No bucket has a zero. */
export type Histograms = Readonly<Record<string, number>>;

/** In milliseconds. */
interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
  /** Whether all three are the exact values, as far as the counts and the sum tell. */
  exact: boolean;
}

const bucketsPerOctave = 4;

/** Bucket 0 is for 0 ms, and the last one begins at 2^24.5 ms, which is over six hours. */
const maxBucket = 99;
/** More than any duration, and small enough for exact sums. */
const unlimitedMs = 2 ** 40;

/** The maximum relative error of a percentile, rounded up. */
export const maxPercentileError = 0.19;

export function bucketAttribute(duration: MeasuredDuration, ms: number): string {
  const bucket = ms < 1 ? 0 : Math.min(1 + Math.floor(bucketsPerOctave * Math.log2(ms)), maxBucket);
  return attributePrefixes[duration] + String(bucket).padStart(2, '0');
}

/** The letters are those of `attributePrefixes`. */
export function isBucketAttribute(name: string): boolean {
  return /^[lf]\d\d$/.test(name);
}

/** Adds `weight` times the counts of `added` to `sum`. */
export function addHistograms(sum: Record<string, number>, added: Histograms, weight: number): void {
  for (const attribute in added) {
    const count = (sum[attribute] ?? 0) + weight * (added[attribute] ?? 0);
    if (count === 0) delete sum[attribute];
    else sum[attribute] = count;
  }
}

/**
 * By nearest rank; `null` when the histogram is empty. The sum of all values narrows what they can be: that of a single request
 * is its value.
 */
export function percentilesOf(
  duration: MeasuredDuration,
  histograms: Histograms,
  sumMs: number | null = null,
): Percentiles | null {
  const buckets = bucketsOf(duration, histograms);
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  if (total <= 0) return null;
  const narrowed = sumMs === null ? buckets : narrowBySum(buckets, sumMs);
  const percentile = (percent: number) => valueAtRank(narrowed, Math.ceil((total * percent) / 100));
  const values = [percentile(50), percentile(95), percentile(99)] as const;
  const [p50, p95, p99] = values;
  return { p50: p50.ms, p95: p95.ms, p99: p99.ms, exact: values.every(({ isExact }) => isExact) };
}

/** No value is higher, in milliseconds; `null` when the histogram is empty. */
export function maxOfHistogram(duration: MeasuredDuration, histograms: Histograms): number | null {
  return bucketsOf(duration, histograms).at(-1)?.maxMs ?? null;
}

/** The values of a bucket are whole milliseconds from `minMs` to `maxMs`. */
interface Bucket {
  count: number;
  minMs: number;
  maxMs: number;
}

/** The buckets that have counts, the lowest first. */
function bucketsOf(duration: MeasuredDuration, histograms: Histograms): Bucket[] {
  const prefix = attributePrefixes[duration];
  return Object.keys(histograms)
    .filter((attribute) => attribute.startsWith(prefix))
    .sort()
    .map((attribute) => {
      const bucket = Number(attribute.slice(1));
      return { count: histograms[attribute] ?? 0, minMs: minValue(bucket), maxMs: maxValue(bucket) };
    });
}

function minValue(bucket: number): number {
  return bucket === 0 ? 0 : Math.ceil(2 ** ((bucket - 1) / bucketsPerOctave));
}

function maxValue(bucket: number): number {
  if (bucket === 0) return 0;
  return bucket === maxBucket ? unlimitedMs : minValue(bucket + 1) - 1;
}

/** A value is what the others, which are in their buckets, leave of the sum. */
function narrowBySum(buckets: readonly Bucket[], sumMs: number): readonly Bucket[] {
  const minSumMs = buckets.reduce((sum, { count, minMs }) => sum + count * minMs, 0);
  const maxSumMs = buckets.reduce((sum, { count, maxMs }) => sum + count * maxMs, 0);
  // The sum can be that of other values while rows are being changed.
  if (sumMs < minSumMs || sumMs > maxSumMs) return buckets;
  return buckets.map(({ count, minMs, maxMs }) => ({
    count,
    minMs: Math.max(minMs, sumMs - (maxSumMs - maxMs)),
    maxMs: Math.min(maxMs, sumMs - (minSumMs - minMs)),
  }));
}

function valueAtRank(buckets: readonly Bucket[], rank: number): { ms: number; isExact: boolean } {
  let before = 0;
  for (const bucket of buckets) {
    if (before + bucket.count >= rank) {
      const isExact = bucket.minMs === bucket.maxMs;
      return { ms: interpolate(bucket, (rank - before - 0.5) / bucket.count), isExact };
    }
    before += bucket.count;
  }
  throw new RangeError('The rank is higher than the number of values');
}

/** Assumes that the values of a bucket are spread evenly on its logarithmic scale, and those of the last one at its start. */
function interpolate({ minMs, maxMs }: Bucket, fraction: number): number {
  if (minMs === 0 || maxMs === unlimitedMs) return minMs;
  return Math.round(minMs * (maxMs / minMs) ** fraction);
}
