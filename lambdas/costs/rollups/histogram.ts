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
}

const bucketsPerOctave = 4;

/** Bucket 0 is for 0 ms, and the last one begins at 2^24.5 ms, which is over six hours. */
const maxBucket = 99;

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

/** By nearest rank; `null` when the histogram is empty. */
export function percentilesOf(duration: MeasuredDuration, histograms: Histograms): Percentiles | null {
  const prefix = attributePrefixes[duration];
  const buckets = Object.keys(histograms)
    .filter((attribute) => attribute.startsWith(prefix))
    .sort()
    .map((attribute) => ({ bucket: Number(attribute.slice(1)), count: histograms[attribute] ?? 0 }));
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  if (total <= 0) return null;
  const percentile = (percent: number) => valueAtRank(buckets, Math.ceil((total * percent) / 100));
  return { p50: percentile(50), p95: percentile(95), p99: percentile(99) };
}

function valueAtRank(buckets: readonly { bucket: number; count: number }[], rank: number): number {
  let before = 0;
  for (const { bucket, count } of buckets) {
    if (before + count >= rank) return interpolate(bucket, (rank - before - 0.5) / count);
    before += count;
  }
  throw new RangeError('The rank is higher than the number of values');
}

/** Assumes that the values of a bucket are spread evenly on its logarithmic scale. */
function interpolate(bucket: number, fraction: number): number {
  if (bucket === 0) return 0;
  const min = minValue(bucket);
  const max = bucket === maxBucket ? min : minValue(bucket + 1) - 1;
  return Math.round(min * (max / min) ** fraction);
}

/** Values are whole milliseconds. */
function minValue(bucket: number): number {
  return Math.ceil(2 ** ((bucket - 1) / bucketsPerOctave));
}
