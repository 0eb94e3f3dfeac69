import { describe, expect, it } from 'vitest';
import {
  addHistograms,
  bucketAttribute,
  isBucketAttribute,
  maxPercentileError,
  percentilesOf,
} from '#lambdas/costs/rollups/histogram.ts';
import { fc } from '#test/support/fast-check.ts';

function histogramOf(values: number[]): Record<string, number> {
  const histograms: Record<string, number> = {};
  for (const ms of values) addHistograms(histograms, { [bucketAttribute('latency_ms', ms)]: 1 }, 1);
  return histograms;
}

describe('bucketAttribute', () => {
  it('has four buckets an octave, and one for zero', () => {
    const buckets = [0, 1, 2, 3, 4, 1023, 1024, 1217, 1218, 900_000];
    expect(buckets.map((ms) => bucketAttribute('latency_ms', ms))).toEqual(
      ['00', '01', '05', '07', '09', '40', '41', '41', '42', '80'].map((bucket) => `l${bucket}`),
    );
    expect(bucketAttribute('time_to_first_token_ms', 900_000)).toBe('f80');
    expect(bucketAttribute('latency_ms', Number.MAX_SAFE_INTEGER)).toBe('l99');
  });

  it('returns attributes that are recognized as buckets', () => {
    expect(['l00', 'f99'].every(isBucketAttribute)).toBe(true);
    expect(['pk', 'sk', 'l1', 'l123', 'w#1', 'x00'].some(isBucketAttribute)).toBe(false);
  });
});

describe('addHistograms', () => {
  it('adds and subtracts counts, and removes buckets without any', () => {
    const sum: Record<string, number> = { l01: 2, l02: 1 };
    addHistograms(sum, { l01: 1, f03: 5 }, 1);
    expect(sum).toEqual({ l01: 3, l02: 1, f03: 5 });
    addHistograms(sum, { l02: 1, f03: 4 }, -1);
    expect(sum).toEqual({ l01: 3, f03: 1 });
  });
});

describe('percentilesOf', () => {
  it('is null without values, and exact for small ones', () => {
    expect(percentilesOf('latency_ms', {})).toBeNull();
    expect(percentilesOf('latency_ms', { f41: 3 })).toBeNull();
    expect(percentilesOf('latency_ms', histogramOf([0, 1, 2, 3, 4, 5]))).toEqual({ p50: 2, p95: 5, p99: 5 });
  });

  it('interpolates between the lowest and the highest value of a bucket', () => {
    // The bucket has the values 1024 to 1217.
    expect(percentilesOf('latency_ms', { l41: 1 })).toEqual({ p50: 1116, p95: 1116, p99: 1116 });
    expect(percentilesOf('latency_ms', { l41: 100 })).toEqual({ p50: 1115, p95: 1205, p99: 1214 });
  });

  it('differs from the exact nearest rank by at most the stated error', () => {
    const value = fc.oneof(fc.nat(20), fc.nat(2000), fc.nat(900_000));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 300 }), (values) => {
        const sorted = values.toSorted((one, other) => one - other);
        const percentiles = percentilesOf('latency_ms', histogramOf(values));
        for (const [name, percent] of [
          ['p50', 50],
          ['p95', 95],
          ['p99', 99],
        ] as const) {
          const exact = sorted[Math.ceil((values.length * percent) / 100) - 1] ?? Number.NaN;
          const difference = Math.abs((percentiles?.[name] ?? Number.NaN) - exact);
          expect(difference).toBeLessThanOrEqual(exact * maxPercentileError);
        }
      }),
    );
  });
});
