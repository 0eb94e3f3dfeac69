import { describe, expect, it } from 'vitest';
import { localTimes, textWidth, timeTicks } from '#dashboard/charts/frame/time-ticks.ts';
import { valueTicks } from '#dashboard/charts/frame/value-ticks.ts';
import type { Interval } from '#lambdas/accounts/analytics/responses.ts';
import { fc } from '#test/support/fast-check.ts';
import { starts } from '../series.ts';

const hourMs = 3_600_000;

/** The labels by the number of their period, with those below after a slash. */
function labels(times: string[], interval: Interval, timeZone: string, widthPx: number, locale = 'en-US') {
  const step = widthPx / times.length;
  const { ticks, groups } = timeTicks({
    times: localTimes(times, timeZone),
    interval,
    step,
    timeZone,
    locale,
  });
  const below = new Map(groups.map(({ index, text }) => [index, ` / ${text}`]));
  return ticks.map(({ index, text }) => `${index}: ${text}${below.get(index) ?? ''}`);
}

describe('valueTicks', () => {
  it.each([
    [48.2, 4, 'amounts', [0, 20, 40, 60]],
    [0.0000031, 4, 'amounts', [0, 0.000001, 0.000002, 0.000003, 0.000004]],
    [0.3, 3, 'amounts', [0, 0.1, 0.2, 0.3]],
    [2.1e8, 4, 'amounts', [0, 1e8, 2e8, 3e8]],
    [2, 4, 'counts', [0, 1, 2]],
    [183_000, 4, 'durations', [0, 60_000, 120_000, 180_000, 240_000]],
    [25_000, 4, 'durations', [0, 10_000, 20_000, 30_000]],
    [820, 4, 'durations', [0, 500, 1000]],
    [8_000_000, 4, 'durations', [0, 3_600_000, 7_200_000, 10_800_000]],
    [0, 4, 'durations', [0, 1]],
  ] as const)('begins at zero and ends at or above %d', (max, steps, kind, ticks) => {
    expect(valueTicks(max, steps, kind)).toEqual(ticks);
  });

  it.each([
    [-1, 'amounts', [0, 1]],
    [1, 'amounts', [0, 0.5, 1]],
    [0.4, 'counts', [0, 1]],
    [1.01, 'amounts', [0, 1, 2]],
    // Up to a second, durations have decimal steps.
    [2000, 'durations', [0, 1000, 2000]],
    [2001, 'durations', [0, 2000, 4000]],
    [20_001, 'durations', [0, 15_000, 30_000]],
    [7_200_000, 'durations', [0, 3_600_000, 7_200_000]],
    [7_200_001, 'durations', [0, 7_200_000, 14_400_000]],
  ] as const)('has round steps for %d of %s in two', (max, kind, ticks) => {
    expect(valueTicks(max, 2, kind)).toEqual(ticks);
  });

  it('has equal steps, no more than asked for, and ends with the first at or above the maximum', () => {
    const max = fc.double({ min: 1e-6, max: 1e12, noNaN: true });
    const kind = fc.constantFrom('amounts', 'counts', 'durations');
    fc.assert(
      fc.property(max, fc.integer({ min: 2, max: 12 }), kind, (highest, steps, valueKind) => {
        const [zero, step = 0, ...rest] = valueTicks(highest, steps, valueKind);
        const last = rest.at(-1) ?? step;
        expect(zero).toBe(0);
        expect(rest.length + 1).toBeLessThanOrEqual(steps);
        expect(last).toBeGreaterThanOrEqual(highest * (1 - 1e-9));
        expect(last - step).toBeLessThan(highest);
        for (const [index, tick] of rest.entries()) expect(tick / step).toBeCloseTo(index + 2, 6);
        if (valueKind === 'counts') expect(Number.isInteger(step)).toBe(true);
        if (valueKind !== 'durations') expect(step.toExponential(6)).toMatch(/^[125]\.0+e/);
      }),
    );
  });
});

describe('timeTicks', () => {
  it('labels every day that fits up to the last one, with the month and year where they change', () => {
    const days = starts('2026-12-20T00:00:00Z', 30, 24 * hourMs);
    expect(labels(days, 'day', 'UTC', 300)).toEqual([
      '2: 22 / Dec 2026',
      '5: 25',
      '8: 28',
      '11: 31',
      '14: 3 / Jan 2027',
      '17: 6',
      '20: 9',
      '23: 12',
      '26: 15',
      '29: 18',
    ]);
  });

  it('labels days with their weekday where there is space', () => {
    const days = starts('2026-11-16T00:00:00Z', 7, 24 * hourMs);
    expect(labels(days, 'day', 'UTC', 500, 'en-GB').slice(0, 2)).toEqual([
      '0: Mon 16 / Nov 2026',
      '1: Tue 17',
    ]);
  });

  it('labels round hours of the time zone, twice when clocks are set back', () => {
    const hours = starts('2026-10-24T22:00:00Z', 25, hourMs);
    expect(labels(hours, 'hour', 'Europe/Berlin', 1200, 'en-GB').slice(0, 5)).toEqual([
      '0: 00:00 / 25 Oct',
      '1: 01:00',
      '2: 02:00',
      '3: 02:00',
      '4: 03:00',
    ]);
    expect(labels(hours, 'hour', 'Europe/Berlin', 300)).toEqual([
      '0: 12 AM / Oct 25',
      '7: 6 AM',
      '13: 12 PM',
      '19: 6 PM',
    ]);
  });

  it('leaves out the hour that is skipped when clocks are set forward', () => {
    const hours = starts('2026-03-28T23:00:00Z', 23, hourMs);
    expect(labels(hours, 'hour', 'Europe/Berlin', 1200, 'en-GB').slice(0, 4)).toEqual([
      '0: 00:00 / 29 Mar',
      '1: 01:00',
      '2: 03:00',
      '3: 04:00',
    ]);
  });

  it('labels the half hours at which hours of UTC begin in India', () => {
    expect(labels(starts('2026-11-22T00:00:00Z', 3, hourMs), 'hour', 'Asia/Kolkata', 300)).toEqual([
      '0: 5:30 AM / Nov 22',
      '1: 6:30 AM',
      '2: 7:30 AM',
    ]);
  });

  it('labels months where there are too many days', () => {
    const days = starts('2025-10-20T00:00:00Z', 400, 24 * hourMs);
    expect(labels(days, 'day', 'UTC', 300)).toEqual([
      '12: Nov / 2025',
      '73: Jan / 2026',
      '132: Mar',
      '193: May',
      '254: Jul',
      '316: Sep',
      '377: Nov',
    ]);
  });

  it('labels full minutes of an hour, with the day below', () => {
    const minutes = starts('2026-11-23T09:58:00Z', 60, 60_000);
    expect(labels(minutes, 'minute', 'UTC', 400, 'en-GB')).toEqual([
      '2: 10:00 / 23 Nov',
      '12: 10:10',
      '22: 10:20',
      '32: 10:30',
      '42: 10:40',
      '52: 10:50',
    ]);
    expect(labels(minutes.slice(0, 4), 'minute', 'UTC', 400, 'en-GB')).toEqual([
      '0: 09:58 / 23 Nov',
      '1: 09:59',
      '2: 10:00',
      '3: 10:01',
    ]);
  });

  it('labels half hours and every other week where more has no space', () => {
    const minutes = starts('2026-11-23T10:00:00Z', 60, 60_000);
    expect(labels(minutes, 'minute', 'UTC', 100, 'en-GB')).toEqual(['0: 10:00 / 23 Nov', '30: 10:30']);
    const days = starts('2026-11-01T00:00:00Z', 60, 24 * hourMs);
    expect(labels(days, 'day', 'UTC', 150).map((label) => label.split(':')[0])).toEqual([
      ...['3', '17', '31', '45', '59'],
    ]);
  });

  it('labels days, of which the first is one only from midnight on, where there are too many hours', () => {
    const day = (first: string) => labels(starts(first, 72, hourMs), 'hour', 'UTC', 200);
    expect(day('2026-11-29T00:00:00Z')).toEqual(['0: 29 / Nov 2026', '24: 30', '48: 1 / Dec']);
    expect(day('2026-11-29T01:00:00Z')).toEqual(['23: 30 / Nov 2026', '47: 1 / Dec', '71: 2']);
  });

  it('names the day below hours, and drops a first name that has no space', () => {
    const hours = (first: string, width: number) =>
      labels(starts(first, 24, hourMs), 'hour', 'UTC', width, 'en-GB');
    expect(hours('2026-11-22T12:00:00Z', 400)).toEqual([
      '0: 12:00 / 22 Nov',
      '3: 15:00',
      '6: 18:00',
      '9: 21:00',
      '12: 00:00 / 23 Nov',
      '15: 03:00',
      '18: 06:00',
      '21: 09:00',
    ]);
    // The name needs 48.4 pixels.
    expect(hours('2026-11-22T21:00:00Z', 388).slice(0, 2)).toEqual([
      '0: 21:00 / 22 Nov',
      '3: 00:00 / 23 Nov',
    ]);
    expect(hours('2026-11-22T21:00:00Z', 386).slice(0, 2)).toEqual(['0: 21:00', '3: 00:00 / 23 Nov']);
  });

  it('labels months with the year where it changes, and years where there are too many', () => {
    const months = (count: number) =>
      Array.from({ length: count }, (_, index) => new Date(Date.UTC(2024, 10 + index)).toISOString());
    expect(labels(months(5), 'month', 'UTC', 300)).toEqual([
      '0: Nov / 2024',
      '1: Dec',
      '2: Jan / 2025',
      '3: Feb',
      '4: Mar',
    ]);
    expect(labels(months(60), 'month', 'UTC', 200)).toEqual([
      '2: 2025',
      '14: 2026',
      '26: 2027',
      '38: 2028',
      '50: 2029',
    ]);
  });

  it('has one label where even two have no space, and none without periods', () => {
    const months = Array.from({ length: 800 }, (_, index) => new Date(Date.UTC(2026, index)).toISOString());
    expect(labels(months, 'month', 'UTC', 20)).toEqual(['168: 2040']);
    expect(labels([], 'day', 'UTC', 300)).toEqual([]);
  });

  it('keeps labels apart, and those below at some of their periods', () => {
    const unitMs = { minute: 60_000, hour: hourMs, day: 24 * hourMs };
    const axis = fc.record({
      interval: fc.constantFrom('minute', 'hour', 'day'),
      count: fc.integer({ min: 1, max: 200 }),
      first: fc.integer({ min: 0, max: 200_000 }),
      width: fc.integer({ min: 200, max: 1600 }),
      timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns'),
    });
    fc.assert(
      fc.property(axis, ({ interval, count, first, width, timeZone }) => {
        const start = new Date(Date.UTC(2020, 0, 1) + first * unitMs[interval]).toISOString();
        const times = localTimes(starts(start, count, unitMs[interval]), timeZone);
        const step = width / count;
        const { ticks, groups } = timeTicks({ times, interval, step, timeZone, locale: 'en-US' });

        const widest = Math.max(...ticks.map(({ text }) => textWidth(text)));
        for (const [index, tick] of ticks.slice(1).entries()) {
          expect((tick.index - (ticks[index]?.index ?? 0)) * step).toBeGreaterThanOrEqual(widest + 10);
        }
        expect(ticks.length).toBeGreaterThan(0);
        const indexes = ticks.map(({ index }) => index);
        expect(groups.filter(({ index }) => !indexes.includes(index))).toEqual([]);
      }),
    );
  });
});
