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
    const ofSmallValues = percentilesOf('latency_ms', histogramOf([0, 1, 2, 3, 4, 5]));
    expect(ofSmallValues).toEqual({ p50: 2, p95: 5, p99: 5, exact: true });
  });

  it('interpolates between the lowest and the highest value of a bucket', () => {
    // The bucket has the values 1024 to 1217.
    const ofOne = percentilesOf('latency_ms', { l41: 1 });
    expect(ofOne).toEqual({ p50: 1116, p95: 1116, p99: 1116, exact: false });
    const ofMany = percentilesOf('latency_ms', { l41: 100 });
    expect(ofMany).toEqual({ p50: 1115, p95: 1205, p99: 1214, exact: false });
  });

  it.each([
    ['a single value', [888], { p50: 888, p95: 888, p99: 888, exact: true }],
    ['a single value in the last bucket', [30_000_000], { p50: 3e7, p95: 3e7, p99: 3e7, exact: true }],
    ['small values and a larger one', [0, 3, 5, 888], { p50: 3, p95: 888, p99: 888, exact: true }],
    ['equal values at the end of a bucket', [1217, 1217], { p50: 1217, p95: 1217, p99: 1217, exact: true }],
    // The smaller one is at least 1024, so the larger one is at most 1076.
    ['two values in a bucket', [1030, 1070], { p50: 1037, p95: 1063, p99: 1063, exact: false }],
  ])('is what the sum leaves to each value: %s', (_, values, expected) => {
    const sumMs = values.reduce((sum, ms) => sum + ms, 0);
    expect(percentilesOf('latency_ms', histogramOf(values), sumMs)).toEqual(expected);
  });

  it('leaves out a sum that cannot be that of the values', () => {
    const percentiles = { p50: 1116, p95: 1116, p99: 1116, exact: false };
    expect(percentilesOf('latency_ms', { l41: 1 }, 1218)).toEqual(percentiles);
    expect(percentilesOf('latency_ms', { l41: 1 }, 1023)).toEqual(percentiles);
  });

  it('differs from the exact nearest rank by at most the stated error, and not if it is exact', () => {
    const value = fc.oneof(fc.nat(20), fc.nat(2000), fc.nat(900_000));
    const samples = fc.oneof(
      fc.array(value, { minLength: 1, maxLength: 4 }),
      fc.array(value, { minLength: 1, maxLength: 300 }),
    );
    fc.assert(
      fc.property(samples, fc.boolean(), (values, hasSum) => {
        const sorted = values.toSorted((one, other) => one - other);
        const sumMs = hasSum ? values.reduce((sum, ms) => sum + ms, 0) : null;
        const percentiles = percentilesOf('latency_ms', histogramOf(values), sumMs);
        for (const [name, percent] of [
          ['p50', 50],
          ['p95', 95],
          ['p99', 99],
        ] as const) {
          const exact = sorted[Math.ceil((values.length * percent) / 100) - 1] ?? Number.NaN;
          const difference = Math.abs((percentiles?.[name] ?? Number.NaN) - exact);
          expect(difference).toBeLessThanOrEqual(percentiles?.exact ? 0 : exact * maxPercentileError);
        }
      }),
    );
  });
});
