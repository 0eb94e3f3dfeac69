import { describe, expect, it } from 'vitest';
import { planCosts, roundDown, type WholePeriods, wholePeriods } from '#lambdas/costs/report/plan.ts';
import { type CostQuery, parseCostQuery } from '#lambdas/costs/report/query.ts';
import { endOfPeriod, type Period, startOfPeriod } from '#lambdas/costs/rollups/period.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { fc } from '#test/support/fast-check.ts';

const at = (text: string) => Date.parse(text);
const iso = (timestampMs: number) => new Date(timestampMs).toISOString();
const window = (start: string, end: string): TimeWindow => ({ startMs: at(start), endMs: at(end) });
const nine = window('2026-01-31T09:00:00Z', '2026-01-31T10:00:00Z');
const now = new Date('2026-05-01T00:00:00Z');

function query(fields: Partial<CostQuery>): CostQuery {
  return { ...parseCostQuery({}, now), ...fields };
}

/** By user, so that the edges are hours. */
const edgesOf = (of: TimeWindow, atTime = now) =>
  planCosts(query({ window: of, groupBy: 'user_id' }), atTime).edges;

describe('the plan of an answer', () => {
  it.each([
    [null, null, { totalsDimension: 'model', groupDimension: 'model', largest: 'month', smallest: 'minute' }],
    [
      'provider',
      'day',
      { totalsDimension: 'model', groupDimension: 'model', largest: 'day', smallest: 'minute' },
    ],
    [
      'session_id',
      null,
      { totalsDimension: 'model', groupDimension: 'session_id', largest: 'month', smallest: 'hour' },
    ],
    [
      'api_key',
      'hour',
      { totalsDimension: 'api_key', groupDimension: 'api_key', largest: 'hour', smallest: 'hour' },
    ],
  ] as const)('by %s and %s reads the fewest sums', (groupBy, interval, plan) => {
    expect(planCosts(query({ groupBy, interval }), now)).toEqual({ ...plan, edges: [] });
  });
});

describe('the edges of a window', () => {
  it.each([
    ['2026-01-31T09:00:00Z', '2026-01-31T11:00:00Z', []],
    ['2026-01-31T09:00:00.001Z', '2026-01-31T11:00:00Z', [['start', nine]]],
    ['2026-01-31T08:00:00Z', '2026-01-31T09:59:59.999Z', [['end', nine]]],
    ['2026-01-31T09:10:00Z', '2026-01-31T09:20:00Z', [['start', nine]]],
    ['2026-01-31T09:10:00Z', '2026-01-31T09:10:00Z', []],
    [
      '2026-01-31T09:10:00Z',
      '2026-02-01T00:00:00.001Z',
      [
        ['start', nine],
        ['end', window('2026-02-01T00:00:00Z', '2026-02-01T01:00:00Z')],
      ],
    ],
  ])('from %s to %s are the hours that the bounds lie inside of', (start, end, edges) => {
    expect(edgesOf(window(start, end)).map(({ bound, span }) => [bound, span])).toEqual(edges);
  });

  it('may have expired from an hour after their end', () => {
    const cut = window('2026-01-31T09:10:00Z', '2026-01-31T09:20:00Z');
    expect(edgesOf(cut, new Date('2026-01-31T10:59:59.999Z'))).toMatchObject([{ mayHaveExpired: false }]);
    expect(edgesOf(cut, new Date('2026-01-31T11:00:00.000Z'))).toMatchObject([{ mayHaveExpired: true }]);
  });

  it('move down to the start of a period that has expired, and not from its ends', () => {
    expect(roundDown(window('2026-01-31T09:00:00.001Z', '2026-01-31T10:00:00Z'), [nine])).toEqual(nine);
    expect(roundDown(window('2026-01-31T08:30:00Z', '2026-01-31T09:59:59Z'), [nine])).toEqual(
      window('2026-01-31T08:30:00Z', '2026-01-31T09:00:00Z'),
    );
    expect(roundDown(window('2026-01-31T09:10:00Z', '2026-01-31T09:20:00Z'), [nine])).toEqual(
      window('2026-01-31T09:00:00Z', '2026-01-31T09:00:00Z'),
    );
    expect(roundDown(window('2026-01-31T08:30:00Z', '2026-01-31T10:00:00.001Z'), [nine])).toEqual(
      window('2026-01-31T08:30:00Z', '2026-01-31T10:00:00.001Z'),
    );
  });

  it('meet those of the window that follows, whichever periods have expired', () => {
    const instant = fc.integer({ min: at('2026-01-31T00:00:00Z'), max: at('2026-01-31T06:00:00Z') });
    fc.assert(
      fc.property(
        fc.array(instant, { minLength: 3, maxLength: 8 }),
        fc.func(fc.boolean()),
        (instants, hasExpired) => {
          const bounds = instants.toSorted((one, other) => one - other);
          const windows = bounds.slice(1).map((endMs, place) => ({ startMs: bounds[place] ?? 0, endMs }));
          const rounded = windows
            .filter(({ startMs, endMs }) => startMs < endMs)
            .map((asked) => {
              const spans = edgesOf(asked).map(({ span }) => span);
              return roundDown(
                asked,
                spans.filter(({ startMs }) => hasExpired(startMs)),
              );
            });
          for (const [place, { endMs }] of rounded.entries()) {
            expect(rounded[place + 1]?.startMs ?? endMs).toBe(endMs);
          }
        },
      ),
    );
  });
});

describe('the whole periods of a window', () => {
  const readable = ({ period, window: { startMs, endMs } }: WholePeriods) => [
    period,
    iso(startMs),
    iso(endMs),
  ];

  it('are months, and at the edges days, hours and minutes', () => {
    const long = window('2026-01-30T22:58:30.500Z', '2026-04-02T01:01:00.001Z');
    expect(wholePeriods(long, 'month', 'minute').map(readable)).toEqual([
      ['minute', '2026-01-30T22:59:00.000Z', '2026-01-30T23:00:00.000Z'],
      ['hour', '2026-01-30T23:00:00.000Z', '2026-01-31T00:00:00.000Z'],
      ['day', '2026-01-31T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
      ['month', '2026-02-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
      ['day', '2026-04-01T00:00:00.000Z', '2026-04-02T00:00:00.000Z'],
      ['hour', '2026-04-02T00:00:00.000Z', '2026-04-02T01:00:00.000Z'],
      ['minute', '2026-04-02T01:00:00.000Z', '2026-04-02T01:01:00.000Z'],
    ]);
  });

  it('are no larger and no smaller than asked for', () => {
    const cut = window('2026-01-31T23:30:00Z', '2026-03-01T00:10:00Z');
    expect(wholePeriods(cut, 'day', 'hour').map(readable)).toEqual([
      ['day', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ]);
    expect(wholePeriods(cut, 'hour', 'hour').map(({ period }) => period)).toEqual(['hour']);
  });

  it('are months alone for all of time, and none within one period', () => {
    expect(wholePeriods(allTime, 'month', 'minute')).toEqual([{ period: 'month', window: allTime }]);
    expect(wholePeriods(window('2026-01-31T23:30:00Z', '2026-01-31T23:59:00Z'), 'month', 'hour')).toEqual([]);
    expect(wholePeriods({ startMs: 5, endMs: 5 }, 'month', 'minute')).toEqual([]);
  });

  it('cover every window without gap or overlap, but for the periods that its bounds cut', () => {
    const instant = fc.integer({ min: at('2023-11-01T00:00:00Z'), max: at('2026-03-01T00:00:00Z') });
    fc.assert(
      fc.property(instant, instant, fc.constantFrom<Period>('hour', 'minute'), (left, right, smallest) => {
        const asked = { startMs: Math.min(left, right), endMs: Math.max(left, right) };
        const parts = wholePeriods(asked, 'month', smallest);
        const fromMs = endOfPeriod(smallest, asked.startMs - 1);
        const toMs = Math.max(fromMs, startOfPeriod(smallest, asked.endMs));
        let reached = fromMs;
        for (const { period, window: part } of parts) {
          expect(part.startMs).toBe(reached);
          expect([startOfPeriod(period, part.startMs), startOfPeriod(period, part.endMs)]).toEqual([
            part.startMs,
            part.endMs,
          ]);
          reached = part.endMs;
        }
        expect(reached).toBe(toMs);
        expect(countOf(parts, 'day')).toBeLessThanOrEqual(60);
        expect(countOf(parts, 'hour')).toBeLessThanOrEqual(46);
        expect(countOf(parts, 'minute')).toBeLessThanOrEqual(118);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['2026-07-01T00:00:00.001Z', '2026-08-31T23:59:59.999Z', 'minute', [60, 46, 118]],
    ['2026-07-01T00:00:00.001Z', '2026-09-30T23:59:59.999Z', 'minute', [59, 46, 118]],
    ['2026-07-01T00:00:00.001Z', '2026-08-31T23:59:59.999Z', 'hour', [60, 46, 0]],
  ] as const)('are as many as can be from %s to %s by the %s', (start, end, smallest, expected) => {
    const parts = wholePeriods(window(start, end), 'month', smallest);
    expect((['day', 'hour', 'minute'] as const).map((period) => countOf(parts, period))).toEqual(expected);
  });
});

function countOf(parts: WholePeriods[], kind: Period): number {
  let count = 0;
  for (const { period, window: part } of parts) {
    if (period !== kind) continue;
    for (let reached = part.startMs; reached < part.endMs; reached = endOfPeriod(period, reached)) count += 1;
  }
  return count;
}
