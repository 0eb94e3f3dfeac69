import { describe, expect, it } from 'vitest';
import {
  formOf,
  latestFullAtUs,
  partOf,
  refillUs,
  remainingOf,
  toMicroseconds,
  waitUs,
} from '#lambdas/limits/rates/rate.ts';
import { fc } from '#test/support/fast-check.ts';
import { type Admitted, busiestWindow, levelAt } from './oracle.ts';

const minuteUs = 60_000_000;
/** For buckets that have just become full, and the unit of clocks. */
const toleranceUs = 1_001_000;
const startUs = Date.UTC(2026, 10, 23, 12) * 1000;

/** As the two conditional writes of an item do it. */
function take(fullAtUs: number | null, chargeUs: number, nowUs: number): number | null {
  if (formOf(fullAtUs, nowUs) === 'full') return nowUs + chargeUs;
  const filling = fullAtUs ?? 0;
  return filling <= latestFullAtUs(chargeUs, nowUs) ? filling + chargeUs : null;
}

describe('A bucket', () => {
  it.each([1, 3, 7, 59, 999, 1000, 60_000])('admits exactly its limit of %i at once', (limit) => {
    const charge = refillUs(1, limit);
    let fullAtUs: number | null = null;
    let count = 0;
    for (;;) {
      expect(remainingOf(limit, fullAtUs, startUs)).toBe(limit - count);
      const taken = take(fullAtUs, charge, startUs);
      if (taken === null) break;
      fullAtUs = taken;
      count += 1;
    }
    expect(count).toBe(limit);
  });

  it('admits its whole limit at once, and then one request each time that one has refilled', () => {
    const charge = refillUs(1, 3);
    let fullAtUs: number | null = null;
    const takeAt = (seconds: number) => {
      const taken = take(fullAtUs, charge, startUs + seconds * 1_000_000);
      fullAtUs = taken ?? fullAtUs;
      return taken !== null;
    };

    expect([0, 0, 0, 0, 19.999, 20, 20.001, 39.9, 40, 40].map(takeAt)).toEqual([
      ...[true, true, true, false],
      ...[false, true, false],
      ...[false, true, false],
    ]);
  });

  it.each([
    { perMinute: 1, us: 60_000_000 },
    { perMinute: 7, us: 8_571_429 },
    { perMinute: 60_000_000, us: 1 },
    { perMinute: 10_000_000_000, us: 1 },
  ])('refills one of $perMinute in $us microseconds, rounded up', ({ perMinute, us }) => {
    expect(refillUs(1, perMinute)).toBe(us);
  });

  it('charges a minute for its whole limit', () => {
    expect(refillUs(10_000_000_000, 10_000_000_000)).toBe(minuteUs);
    expect(refillUs(7, 7)).toBe(minuteUs);
  });

  it('keeps times in whole microseconds', () => {
    expect(toMicroseconds(1_795_435_440_123)).toBe(1_795_435_440_123_000);
    expect(toMicroseconds(0.0004)).toBe(0);
  });

  it('begins anew a second after it has become full', () => {
    expect(formOf(null, startUs)).toBe('full');
    expect(formOf(startUs - 1_000_000, startUs)).toBe('full');
    expect(formOf(startUs - 999_999, startUs)).toBe('filling');
  });

  it('states what is left, and nothing below 0', () => {
    const remaining = (missingUs: number) => remainingOf(100, startUs + missingUs, startUs);

    expect(remainingOf(100, null, startUs)).toBe(100);
    expect(remaining(-minuteUs)).toBe(100);
    expect(remaining(0)).toBe(100);
    expect(remaining(999)).toBe(100);
    expect(remaining(1000)).toBe(99);
    expect(remaining(600_000)).toBe(99);
    expect(remaining(minuteUs)).toBe(0);
    expect(remaining(3 * minuteUs)).toBe(0);
  });
});

const perMinute = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 10_000_000 }));
const arrivals = fc.array(
  fc.record({
    gapUs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 2_000_000 }),
      fc.integer({ min: 0, max: 2 * minuteUs }),
    ),
    /** The part of the limit that the request takes. */
    share: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  }),
  { minLength: 1, maxLength: 60 },
);

describe('For any arrivals, a bucket', () => {
  it('admits in any time t at most limit × (1 + (t + 1) / 60), and all that the list of admitted ones allows', () => {
    fc.assert(
      fc.property(perMinute, arrivals, (limit, requests) => {
        const admitted: Admitted[] = [];
        let fullAtUs: number | null = null;
        let nowUs = startUs;
        for (const { gapUs, share } of requests) {
          nowUs += gapUs;
          const count = Math.max(1, Math.floor(limit * share));
          const level = levelAt(admitted, limit, nowUs);
          const chargeUs = refillUs(count, limit);
          const taken = take(fullAtUs, chargeUs, nowUs);
          // Each charge is rounded up to a microsecond.
          const roundedOff = (limit / minuteUs) * (admitted.length + 1);
          if (taken === null) expect(level + count).toBeGreaterThan(limit - roundedOff);
          else expect(level + count).toBeLessThanOrEqual(limit * (1 + toleranceUs / minuteUs) + 1e-6);
          if (taken !== null) {
            admitted.push({ atUs: nowUs, count });
            fullAtUs = taken;
          }
        }
        expect(busiestWindow(admitted, limit, toleranceUs)).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });

  it('admits a refused request after exactly the stated time, and not earlier', () => {
    fc.assert(
      fc.property(perMinute, arrivals, (limit, requests) => {
        let fullAtUs: number | null = null;
        let nowUs = startUs;
        for (const { gapUs, share } of requests) {
          nowUs += gapUs;
          const chargeUs = refillUs(Math.max(1, Math.floor(limit * share)), limit);
          const wait = waitUs(fullAtUs, chargeUs, nowUs);
          const taken = take(fullAtUs, chargeUs, nowUs);
          expect(wait === 0).toBe(taken !== null);
          if (wait > 0) {
            expect(take(fullAtUs, chargeUs, nowUs + wait)).not.toBeNull();
            expect(take(fullAtUs, chargeUs, nowUs + wait - 1)).toBeNull();
          }
          fullAtUs = taken ?? fullAtUs;
        }
      }),
    );
  });
});

it('The parts of a limit for any number of items are its sum, and differ by one at most', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000_000_000 }),
      fc.integer({ min: 1, max: 32 }),
      (limit, items) => {
        const parts = Array.from({ length: items }, (_, index) => partOf(limit, index, items));

        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(limit);
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
      },
    ),
  );
});
