import { describe, expect, it } from 'vitest';
import type { Dimension } from '#lambdas/costs/rollups/rollup.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { coverByRows, elementsOf, findPartialPeriods, roundDown } from '#lambdas/reports/costs/plan.ts';
import { parseCostQuery } from '#lambdas/reports/costs/query.ts';
import { fc } from '#test/support/fast-check.ts';

const at = (text: string) => Date.parse(text);
const window = (start: string, end: string): TimeWindow => ({ startMs: at(start), endMs: at(end) });
const nineOClock = window('2026-01-31T09:00:00Z', '2026-01-31T10:00:00Z');
const now = new Date('2026-05-01T00:00:00Z');

const partialPeriodsOf = (each: TimeWindow, at = now) => findPartialPeriods(each, 'hour', at);

describe('findPartialPeriods', () => {
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

describe('coverByRows', () => {
  /** The rows of a dimension, one line for each period and its elements. */
  function cover(parameters: Record<string, string>, dimension: Dimension, span = allTime): string[] {
    const raw = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value]]));
    const query = parseCostQuery(raw, now);
    const parts = coverByRows(elementsOf(query.window, query.series), dimension, query, {
      span,
      finalUntilMs: now.getTime(),
    });
    const text = (ms: number) => new Date(ms).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
    return parts.map(({ period, window: part, targets }) =>
      [
        ...[period, text(part.startMs), text(part.endMs)],
        ...targets.map(({ element, weight }) => `${weight > 0 ? '+' : '-'}${element}`),
      ].join(' '),
    );
  }
  const twoDays = { start: '2026-01-30T23:00:00Z', end: '2026-02-01T23:00:00Z' };

  it('covers a window by the longest periods that the dimension has', () => {
    const start = '2026-01-30T22:58:30.500Z';
    expect(cover({ start, end: '2026-03-01T00:00:00.001Z' }, 'totals')).toEqual([
      'month 2026-02-01T00:00 2026-03-01T00:00 +0',
      'day 2026-01-31T00:00 2026-02-01T00:00 +0',
      'hour 2026-01-30T23:00 2026-01-31T00:00 +0',
      'minute 2026-01-30T22:59 2026-01-30T23:00 +0',
    ]);
    expect(cover({ start, end: '2026-03-01T00:59:00Z', group_by: 'error_code' }, 'error_code')).toEqual([
      'day 2026-01-31T00:00 2026-03-01T00:00 +0',
      'hour 2026-01-30T23:00 2026-01-31T00:00 +0',
    ]);
    expect(cover({ start, end: start }, 'totals')).toEqual([]);
  });

  it('subtracts hours from days only in a series of days or months, and only from final ones', () => {
    expect(cover(twoDays, 'totals')).toEqual([
      'day 2026-01-31T00:00 2026-02-01T00:00 +0',
      'hour 2026-01-30T23:00 2026-01-31T00:00 +0',
      'hour 2026-02-01T00:00 2026-02-01T23:00 +0',
    ]);
    expect(cover({ ...twoDays, interval: 'day', time_zone: 'Europe/Berlin' }, 'totals')).toEqual([
      'day 2026-01-31T00:00 2026-02-01T00:00 +0',
      'day 2026-02-01T00:00 2026-02-02T00:00 +1',
      'hour 2026-01-30T23:00 2026-01-31T00:00 +0',
      'hour 2026-01-31T23:00 2026-02-01T00:00 -0 +1',
      'hour 2026-02-01T23:00 2026-02-02T00:00 -1',
    ]);
    const today = { start: '2026-04-29T22:00:00Z', end: '2026-05-01T22:00:00Z' };
    expect(cover({ ...today, interval: 'day', time_zone: 'Europe/Berlin' }, 'totals')).toEqual([
      'hour 2026-04-29T22:00 2026-04-30T22:00 +0',
      'hour 2026-04-30T22:00 2026-05-01T22:00 +1',
    ]);
  });

  it('covers only the time that has rows', () => {
    const span = { startMs: at('2026-01-01T00:00:00Z'), endMs: at('2026-06-01T00:00:00Z') };
    expect(cover({ prompt_id: 'p' }, 'prompt_id', span)).toEqual([
      'month 2026-01-01T00:00 2026-06-01T00:00 +0',
    ]);
    expect(cover({ prompt_id: 'p' }, 'prompt_id', { startMs: 0, endMs: 0 })).toEqual([]);
  });
});
