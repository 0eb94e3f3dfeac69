import { describe, expect, it } from 'vitest';
import { endOfPeriod, type Period, periods, startOfPeriod } from '#lambdas/platform/period.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { createCalendar } from '#lambdas/reports/costs/calendar.ts';
import { type CoverOptions, type CoverPart, coverElements } from '#lambdas/reports/costs/cover.ts';
import { fc } from '#test/support/fast-check.ts';
import { describeParts } from './support/describe-parts.ts';
import { clockChanges } from './support/local-boundaries.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const at = (text: string) => Date.parse(text);
const utc = createCalendar('UTC');
const byMinute: CoverOptions = { coarsestPeriod: 'day', finestPeriod: 'minute', isFinal: () => true };
const byMonth: CoverOptions = { ...byMinute, coarsestPeriod: 'month' };

/** Contiguous elements, given their bounds. */
function elementsBetween(bounds: readonly number[]): TimeWindow[] {
  return bounds.slice(1).map((endMs, index) => ({ startMs: bounds[index] ?? endMs, endMs }));
}

/** The days or months from the one that contains `start`. */
function localElements(
  timeZone: string,
  interval: 'day' | 'month',
  start: string,
  count: number,
): TimeWindow[] {
  const calendar = createCalendar(timeZone);
  const bounds = Array.from({ length: count + 1 }, (_, index) => calendar.shift(interval, at(start), index));
  return elementsBetween(bounds);
}

const describeCover = (elements: readonly TimeWindow[], options: CoverOptions) =>
  describeParts(coverElements(elements, options));

const countPeriods = (parts: readonly CoverPart[]) =>
  parts.reduce((count, { period, window }) => count + utc.count(period, window), 0);

describe('coverElements', () => {
  it('reads a day per local day and an hour per midnight when clocks are set forward in Berlin', () => {
    expect(describeCover(localElements('Europe/Berlin', 'day', '2026-03-28T12:00:00Z', 3), byMinute)).toEqual(
      [
        'day 2026-03-28T00:00 2026-03-29T00:00 +0',
        'day 2026-03-29T00:00 2026-03-30T00:00 +1',
        'day 2026-03-30T00:00 2026-03-31T00:00 +2',
        'hour 2026-03-27T23:00 2026-03-28T00:00 +0',
        'hour 2026-03-28T23:00 2026-03-29T00:00 +1 -0',
        'hour 2026-03-29T22:00 2026-03-30T00:00 +2 -1',
        'hour 2026-03-30T22:00 2026-03-31T00:00 -2',
      ],
    );
  });

  it('reads five hours and 30 minutes per midnight in India', () => {
    expect(describeCover(localElements('Asia/Kolkata', 'day', '2026-01-31T12:00:00Z', 2), byMinute)).toEqual([
      'day 2026-01-31T00:00 2026-02-01T00:00 +0',
      'day 2026-02-01T00:00 2026-02-02T00:00 +1',
      'hour 2026-01-30T19:00 2026-01-31T00:00 +0',
      'hour 2026-01-31T19:00 2026-02-01T00:00 +1 -0',
      'hour 2026-02-01T19:00 2026-02-02T00:00 -1',
      'minute 2026-01-30T18:30 2026-01-30T19:00 +0',
      'minute 2026-01-31T18:30 2026-01-31T19:00 +1 -0',
      'minute 2026-02-01T18:30 2026-02-01T19:00 -1',
    ]);
  });

  it('reads three hours and 30 minutes per midnight in Newfoundland, not the hour that two days share equally', () => {
    const elements = localElements('America/St_Johns', 'day', '2026-01-31T12:00:00Z', 1);
    expect(describeCover(elements, byMinute)).toEqual([
      'day 2026-01-31T00:00 2026-02-01T00:00 +0',
      'hour 2026-01-31T00:00 2026-01-31T03:00 -0',
      'hour 2026-02-01T00:00 2026-02-01T03:00 +0',
      'minute 2026-01-31T03:00 2026-01-31T03:30 -0',
      'minute 2026-02-01T03:00 2026-02-01T03:30 +0',
    ]);
  });

  it('moves hours forward where midnight is before noon in UTC, and minutes where it is before the half hour', () => {
    expect(
      describeCover(localElements('America/New_York', 'month', '2026-01-15T12:00:00Z', 2), byMonth),
    ).toEqual([
      'month 2026-01-01T00:00 2026-02-01T00:00 +0',
      'month 2026-02-01T00:00 2026-03-01T00:00 +1',
      'hour 2026-01-01T00:00 2026-01-01T05:00 -0',
      'hour 2026-02-01T00:00 2026-02-01T05:00 +0 -1',
      'hour 2026-03-01T00:00 2026-03-01T05:00 +1',
    ]);
    expect(
      describeCover(localElements('Asia/Kathmandu', 'day', '2026-01-31T12:00:00Z', 1), byMinute),
    ).toEqual([
      'day 2026-01-31T00:00 2026-02-01T00:00 +0',
      'hour 2026-01-30T18:00 2026-01-30T19:00 +0',
      'hour 2026-01-30T19:00 2026-01-31T00:00 +0',
      'hour 2026-01-31T18:00 2026-02-01T00:00 -0',
      'minute 2026-01-30T18:00 2026-01-30T18:15 -0',
      'minute 2026-01-31T18:00 2026-01-31T18:15 +0',
    ]);
  });

  it('subtracts nothing from a period that is not final', () => {
    const isFinal = ({ endMs }: TimeWindow) => endMs <= at('2026-03-30T00:00:00Z');
    const elements = localElements('Europe/Berlin', 'day', '2026-03-28T12:00:00Z', 3);

    expect(describeCover(elements, { ...byMinute, isFinal })).toEqual([
      'day 2026-03-28T00:00 2026-03-29T00:00 +0',
      'day 2026-03-29T00:00 2026-03-30T00:00 +1',
      'hour 2026-03-27T23:00 2026-03-28T00:00 +0',
      'hour 2026-03-28T23:00 2026-03-29T00:00 +1 -0',
      'hour 2026-03-29T22:00 2026-03-30T00:00 +2 -1',
      'hour 2026-03-30T00:00 2026-03-30T22:00 +2',
    ]);
  });

  it.each([
    ['2026-01-31T10:00:00Z', '2026-01-31T11:00:00Z', ['hour 2026-01-31T10:00 2026-01-31T11:00 +0']],
    ['2026-01-02T00:00:00Z', '2026-01-12T00:00:00Z', ['day 2026-01-02T00:00 2026-01-12T00:00 +0']],
    [
      '2026-01-02T00:00:00Z',
      '2026-01-20T00:00:00Z',
      [
        'month 2026-01-01T00:00 2026-02-01T00:00 +0',
        'day 2026-01-01T00:00 2026-01-02T00:00 -0',
        'day 2026-01-20T00:00 2026-02-01T00:00 -0',
      ],
    ],
    [
      '2026-01-31T23:00:00Z',
      '2028-02-01T02:01:00Z',
      [
        'month 2026-02-01T00:00 2028-02-01T00:00 +0',
        'hour 2026-01-31T23:00 2026-02-01T00:00 +0',
        'hour 2028-02-01T00:00 2028-02-01T02:00 +0',
        'minute 2028-02-01T02:00 2028-02-01T02:01 +0',
      ],
    ],
    // Most of the day is outside, on both sides together.
    ['2026-01-31T09:00:00Z', '2026-01-31T18:00:00Z', ['hour 2026-01-31T09:00 2026-01-31T18:00 +0']],
  ])('covers the time from %s to %s by long periods, less what they have too much', (start, end, parts) => {
    expect(describeCover([{ startMs: at(start), endMs: at(end) }], byMonth)).toEqual(parts);
  });

  it('reads all time as one part', () => {
    expect(coverElements([allTime], byMonth)).toEqual([
      { period: 'month', window: allTime, addTo: 0, subtractFrom: null },
    ]);
  });

  it('reads nothing for no elements and for an empty one', () => {
    expect(coverElements([], byMonth)).toEqual([]);
    expect(coverElements([{ startMs: minuteMs, endMs: minuteMs }], byMonth)).toEqual([]);
  });

  it('adds up to every element exactly, for random bounds, time zones, cuts and final times', () => {
    fc.assert(
      fc.property(randomSeries, ({ elements, finestPeriod, coarsestPeriod, finalUntilMs, seed }) => {
        const isFinal = ({ endMs }: TimeWindow) => endMs <= finalUntilMs;
        const parts = coverElements(elements, { coarsestPeriod, finestPeriod, isFinal });

        const sumOf = randomCounts(elements, coarsestPeriod, seed);
        const sums = elements.map(() => 0);
        for (const { window, addTo, subtractFrom } of parts) {
          const sum = sumOf(window);
          if (addTo !== null) sums[addTo] = (sums[addTo] ?? 0) + sum;
          if (subtractFrom !== null) sums[subtractFrom] = (sums[subtractFrom] ?? 0) - sum;
        }
        expect(sums).toEqual(elements.map(sumOf));

        for (const { period, window, addTo, subtractFrom } of parts) {
          expect(startOfPeriod(period, window.startMs)).toBe(window.startMs);
          expect(startOfPeriod(period, window.endMs)).toBe(window.endMs);
          expect(addTo).not.toBe(subtractFrom);
          // Only final rows are added to an element that has only a part of their period.
          const { startMs, endMs } = elements[addTo ?? -1] ?? window;
          const needsFinalStart = window.startMs < startMs;
          if (needsFinalStart) expect(endOfPeriod(period, window.startMs)).toBeLessThanOrEqual(finalUntilMs);
          if (subtractFrom !== null || window.endMs > endMs)
            expect(window.endMs).toBeLessThanOrEqual(finalUntilMs);
        }
        const order = (part: CoverPart) => periods.indexOf(part.period);
        for (const [index, next] of parts.entries()) {
          const last = parts[index - 1];
          if (last === undefined) continue;
          expect(order(last)).toBeLessThanOrEqual(order(next));
          if (last.period === next.period) expect(last.window.endMs).toBeLessThanOrEqual(next.window.startMs);
        }
      }),
    );
  });

  it('reads only whole periods inside each element if nothing is final, and otherwise hardly any more than those', () => {
    fc.assert(
      fc.property(randomSeries, ({ elements, finestPeriod, coarsestPeriod, finalUntilMs }) => {
        const options = { coarsestPeriod, finestPeriod };
        const withoutFinal = coverElements(elements, { ...options, isFinal: () => false });
        const inside = elements.flatMap((window, element) =>
          wholePeriods(window, coarsestPeriod, finestPeriod).map((whole) => ({
            ...whole,
            addTo: element,
            subtractFrom: null,
          })),
        );

        expect(withoutFinal).toEqual(
          periods.flatMap((period) => inside.filter((whole) => whole.period === period)),
        );
        const isFinal = ({ endMs }: TimeWindow) => endMs <= finalUntilMs;
        // A bound of the first or last element can take one more, since shares are compared by time, not by rows.
        expect(countPeriods(coverElements(elements, { ...options, isFinal }))).toBeLessThanOrEqual(
          countPeriods(withoutFinal) + 2,
        );
      }),
    );
  });

  it('reads at most 12 hours and 30 minutes for each bound of final local days', () => {
    fc.assert(
      fc.property(fc.constantFrom(...clockChanges), fc.integer({ min: 1, max: 40 }), (change, count) => {
        const elements = localElements(change.timeZone, 'day', change.time, count);
        const rows = (period: Period) =>
          countPeriods(coverElements(elements, byMinute).filter((part) => part.period === period));

        // The first and last UTC day may have more time outside of the elements than inside.
        expect(rows('day')).toBeLessThanOrEqual(count + 1);
        expect(rows('hour')).toBeLessThanOrEqual(12 * (count + 1));
        expect(rows('minute')).toBeLessThanOrEqual(30 * (count + 1));
      }),
    );
  });
});

/** Gives each minute a random count. Returns a function that sums them, for windows in the elements' coarsest periods. */
function randomCounts(elements: readonly TimeWindow[], coarsestPeriod: Period, seed: number) {
  const fromMs = startOfPeriod(coarsestPeriod, elements[0]?.startMs ?? 0);
  const toMs = endOfPeriod(coarsestPeriod, elements.at(-1)?.endMs ?? 0);
  const sums = new Float64Array((toMs - fromMs) / minuteMs + 1);
  let random = seed;
  for (let minute = 1; minute < sums.length; minute += 1) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    sums[minute] = (sums[minute - 1] ?? 0) + (random >>> 16);
  }
  const sumTo = (timestampMs: number) => sums[(timestampMs - fromMs) / minuteMs] ?? Number.NaN;
  return ({ startMs, endMs }: TimeWindow) => sumTo(endMs) - sumTo(startMs);
}

/** Local hours, days or months around a change of the clock, the first and last of them cut, and possibly all joined in one. */
const randomSeries = fc
  .record({
    change: fc.constantFrom(...clockChanges),
    interval: fc.constantFrom('hour', 'day', 'month'),
    isOneElement: fc.boolean(),
    finestPeriod: fc.constantFrom('hour', 'minute'),
    count: fc.integer({ min: 1, max: 6 }),
    cutMinutes: fc.tuple(fc.nat(3000), fc.nat(3000)),
    finalUntilMinutes: fc.integer({ min: -5000, max: 20_000 }),
    seed: fc.nat(),
  })
  .map(({ change, interval, isOneElement, finestPeriod, count, cutMinutes, finalUntilMinutes, seed }) => {
    const exact = createCalendar(change.timeZone);
    const calendar = finestPeriod === 'hour' ? exact.atFullHours() : exact;
    const cut = (minutes: number) => startOfPeriod(finestPeriod, minutes * minuteMs);
    const bounds = [calendar.startOf(interval, at(change.time) - dayMs)];
    for (let index = 0; index < count; index += 1) bounds.push(calendar.endOf(interval, bounds.at(-1) ?? 0));
    const firstMs = (bounds[0] ?? 0) + cut(cutMinutes[0]);
    const lastMs = Math.max(firstMs, (bounds.at(-1) ?? 0) - cut(cutMinutes[1]));
    const inner = isOneElement ? [] : bounds.filter((bound) => firstMs < bound && bound < lastMs);
    return {
      elements: elementsBetween([firstMs, ...inner, lastMs]),
      finestPeriod,
      coarsestPeriod: isOneElement ? 'month' : interval,
      finalUntilMs: at(change.time) + finalUntilMinutes * minuteMs,
      seed,
    } as const;
  });

/** The whole periods inside the window: the longest ones, with shorter ones on both sides. */
function wholePeriods(
  { startMs, endMs }: TimeWindow,
  coarsestPeriod: Period,
  finestPeriod: Period,
): { period: Period; window: TimeWindow }[] {
  const [period, ...shorter] = periods.slice(
    periods.indexOf(coarsestPeriod),
    periods.indexOf(finestPeriod) + 1,
  );
  if (startMs >= endMs || period === undefined) return [];
  const inside = (window: TimeWindow) =>
    shorter[0] === undefined ? [] : wholePeriods(window, shorter[0], finestPeriod);
  const fromMs = startOfPeriod(period, startMs) === startMs ? startMs : endOfPeriod(period, startMs);
  const toMs = startOfPeriod(period, endMs);
  if (fromMs >= toMs) return inside({ startMs, endMs });
  const whole = { period, window: { startMs: fromMs, endMs: toMs } };
  return [...inside({ startMs, endMs: fromMs }), whole, ...inside({ startMs: toMs, endMs })];
}
