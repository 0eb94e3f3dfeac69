import { describe, expect, it } from 'vitest';
import { endOfPeriod, type Period, startOfPeriod } from '#lambdas/costs/rollups/period.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { planCosts, roundDown, type WholePeriods, wholePeriods } from '#lambdas/reports/costs/plan.ts';
import { type CostQuery, parseCostQuery } from '#lambdas/reports/costs/query.ts';
import { fc } from '#test/support/fast-check.ts';

const at = (text: string) => Date.parse(text);
const iso = (timestampMs: number) => new Date(timestampMs).toISOString();
const window = (start: string, end: string): TimeWindow => ({ startMs: at(start), endMs: at(end) });
const nineOClock = window('2026-01-31T09:00:00Z', '2026-01-31T10:00:00Z');
const now = new Date('2026-05-01T00:00:00Z');

function query(fields: Partial<CostQuery>): CostQuery {
  return { ...parseCostQuery({}, now), ...fields };
}

/** Groups by user, so that partial periods are hours. */
const partialPeriodsOf = (window: TimeWindow, at = now) =>
  planCosts(query({ window, groupBy: 'user_id' }), at).partialPeriods;

describe('planCosts', () => {
  it.each([
    [
      null,
      null,
      { totalsDimension: 'model', groupDimension: 'model', coarsestPeriod: 'month', finestPeriod: 'minute' },
    ],
    [
      'provider',
      'day',
      { totalsDimension: 'model', groupDimension: 'model', coarsestPeriod: 'day', finestPeriod: 'minute' },
    ],
    [
      'session_id',
      null,
      {
        totalsDimension: 'model',
        groupDimension: 'session_id',
        coarsestPeriod: 'month',
        finestPeriod: 'hour',
      },
    ],
    [
      'api_key',
      'hour',
      {
        totalsDimension: 'api_key',
        groupDimension: 'api_key',
        coarsestPeriod: 'hour',
        finestPeriod: 'hour',
      },
    ],
  ] as const)('plans the fewest rows for group_by %s and interval %s', (groupBy, interval, plan) => {
    expect(planCosts(query({ groupBy, interval }), now)).toEqual({ ...plan, partialPeriods: [] });
  });
  it.each([
    ['2026-01-31T09:00:00Z', '2026-01-31T11:00:00Z', []],
    ['2026-01-31T09:00:00.001Z', '2026-01-31T11:00:00Z', [['start', nineOClock]]],
    ['2026-01-31T08:00:00Z', '2026-01-31T09:59:59.999Z', [['end', nineOClock]]],
    ['2026-01-31T09:10:00Z', '2026-01-31T09:20:00Z', [['start', nineOClock]]],
    ['2026-01-31T09:10:00Z', '2026-01-31T09:10:00Z', []],
    [
      '2026-01-31T09:10:00Z',
      '2026-02-01T00:00:00.001Z',
      [
        ['start', nineOClock],
        ['end', window('2026-02-01T00:00:00Z', '2026-02-01T01:00:00Z')],
      ],
    ],
  ])('finds the partial hours of the window from %s to %s', (start, end, expected) => {
    expect(partialPeriodsOf(window(start, end)).map(({ bound, fullPeriod }) => [bound, fullPeriod])).toEqual(
      expected,
    );
  });

  it('treats a partial period as possibly expired from an hour after its end', () => {
    const partial = window('2026-01-31T09:10:00Z', '2026-01-31T09:20:00Z');
    expect(partialPeriodsOf(partial, new Date('2026-01-31T10:59:59.999Z'))).toMatchObject([
      { mayHaveExpired: false },
    ]);
    expect(partialPeriodsOf(partial, new Date('2026-01-31T11:00:00.000Z'))).toMatchObject([
      { mayHaveExpired: true },
    ]);
  });
});

describe('roundDown', () => {
  it('moves bounds inside an expired period to its start, and keeps bounds at its ends', () => {
    expect(roundDown(window('2026-01-31T09:00:00.001Z', '2026-01-31T10:00:00Z'), [nineOClock])).toEqual(
      nineOClock,
    );
    expect(roundDown(window('2026-01-31T08:30:00Z', '2026-01-31T09:59:59Z'), [nineOClock])).toEqual(
      window('2026-01-31T08:30:00Z', '2026-01-31T09:00:00Z'),
    );
    expect(roundDown(window('2026-01-31T09:10:00Z', '2026-01-31T09:20:00Z'), [nineOClock])).toEqual(
      window('2026-01-31T09:00:00Z', '2026-01-31T09:00:00Z'),
    );
    expect(roundDown(window('2026-01-31T08:30:00Z', '2026-01-31T10:00:00.001Z'), [nineOClock])).toEqual(
      window('2026-01-31T08:30:00Z', '2026-01-31T10:00:00.001Z'),
    );
  });

  it('keeps adjacent windows adjacent, whichever periods have expired', () => {
    const instant = fc.integer({ min: at('2026-01-31T00:00:00Z'), max: at('2026-01-31T06:00:00Z') });
    fc.assert(
      fc.property(
        fc.array(instant, { minLength: 3, maxLength: 8 }),
        fc.func(fc.boolean()),
        (instants, hasExpired) => {
          const bounds = instants.toSorted((one, other) => one - other);
          const windows = bounds.slice(1).map((endMs, index) => ({ startMs: bounds[index] ?? 0, endMs }));
          const rounded = windows
            .filter(({ startMs, endMs }) => startMs < endMs)
            .map((window) => {
              const fullPeriods = partialPeriodsOf(window).map(({ fullPeriod }) => fullPeriod);
              return roundDown(
                window,
                fullPeriods.filter(({ startMs }) => hasExpired(startMs)),
              );
            });
          for (const [index, { endMs }] of rounded.entries()) {
            expect(rounded[index + 1]?.startMs ?? endMs).toBe(endMs);
          }
        },
      ),
    );
  });
});

describe('wholePeriods', () => {
  const toReadable = ({ period, window: { startMs, endMs } }: WholePeriods) => [
    period,
    iso(startMs),
    iso(endMs),
  ];

  it('returns months, with days, hours and minutes on both sides', () => {
    const long = window('2026-01-30T22:58:30.500Z', '2026-04-02T01:01:00.001Z');
    expect(wholePeriods(long, 'month', 'minute').map(toReadable)).toEqual([
      ['minute', '2026-01-30T22:59:00.000Z', '2026-01-30T23:00:00.000Z'],
      ['hour', '2026-01-30T23:00:00.000Z', '2026-01-31T00:00:00.000Z'],
      ['day', '2026-01-31T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
      ['month', '2026-02-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
      ['day', '2026-04-01T00:00:00.000Z', '2026-04-02T00:00:00.000Z'],
      ['hour', '2026-04-02T00:00:00.000Z', '2026-04-02T01:00:00.000Z'],
      ['minute', '2026-04-02T01:00:00.000Z', '2026-04-02T01:01:00.000Z'],
    ]);
  });

  it('returns no larger and no smaller periods than requested', () => {
    const partial = window('2026-01-31T23:30:00Z', '2026-03-01T00:10:00Z');
    expect(wholePeriods(partial, 'day', 'hour').map(toReadable)).toEqual([
      ['day', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ]);
    expect(wholePeriods(partial, 'hour', 'hour').map(({ period }) => period)).toEqual(['hour']);
  });

  it('returns only months for all time, and nothing within a single period', () => {
    expect(wholePeriods(allTime, 'month', 'minute')).toEqual([{ period: 'month', window: allTime }]);
    expect(wholePeriods(window('2026-01-31T23:30:00Z', '2026-01-31T23:59:00Z'), 'month', 'hour')).toEqual([]);
    expect(wholePeriods({ startMs: 5, endMs: 5 }, 'month', 'minute')).toEqual([]);
  });

  it('covers every window without gap or overlap, except for its partial periods', () => {
    const instant = fc.integer({ min: at('2023-11-01T00:00:00Z'), max: at('2026-03-01T00:00:00Z') });
    fc.assert(
      fc.property(instant, instant, fc.constantFrom<Period>('hour', 'minute'), (left, right, smallest) => {
        const window = { startMs: Math.min(left, right), endMs: Math.max(left, right) };
        const parts = wholePeriods(window, 'month', smallest);
        const fromMs = endOfPeriod(smallest, window.startMs - 1);
        const toMs = Math.max(fromMs, startOfPeriod(smallest, window.endMs));
        let coveredToMs = fromMs;
        for (const { period, window: part } of parts) {
          expect(part.startMs).toBe(coveredToMs);
          expect([startOfPeriod(period, part.startMs), startOfPeriod(period, part.endMs)]).toEqual([
            part.startMs,
            part.endMs,
          ]);
          coveredToMs = part.endMs;
        }
        expect(coveredToMs).toBe(toMs);
        expect(countPeriods(parts, 'day')).toBeLessThanOrEqual(60);
        expect(countPeriods(parts, 'hour')).toBeLessThanOrEqual(46);
        expect(countPeriods(parts, 'minute')).toBeLessThanOrEqual(118);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['2026-07-01T00:00:00.001Z', '2026-08-31T23:59:59.999Z', 'minute', [60, 46, 118]],
    ['2026-07-01T00:00:00.001Z', '2026-09-30T23:59:59.999Z', 'minute', [59, 46, 118]],
    ['2026-07-01T00:00:00.001Z', '2026-08-31T23:59:59.999Z', 'hour', [60, 46, 0]],
  ] as const)(
    'returns the maximum number of periods from %s to %s by %s',
    (start, end, smallest, expected) => {
      const parts = wholePeriods(window(start, end), 'month', smallest);
      expect((['day', 'hour', 'minute'] as const).map((period) => countPeriods(parts, period))).toEqual(
        expected,
      );
    },
  );
});

function countPeriods(parts: WholePeriods[], kind: Period): number {
  let count = 0;
  for (const { period, window: part } of parts) {
    if (period !== kind) continue;
    for (
      let coveredToMs = part.startMs;
      coveredToMs < part.endMs;
      coveredToMs = endOfPeriod(period, coveredToMs)
    )
      count += 1;
  }
  return count;
}
