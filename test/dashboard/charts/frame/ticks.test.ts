import { describe, expect, it } from 'vitest';
import { localTimes, timeTicks } from '#dashboard/charts/frame/time-ticks.ts';
import { valueTicks } from '#dashboard/charts/frame/value-ticks.ts';
import { windowTitle } from '#dashboard/charts/period-title.ts';
import type { Interval } from '#lambdas/accounts/analytics/responses.ts';

const hourMs = 3_600_000;

function starts(first: string, count: number, stepMs: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(first) + index * stepMs).toISOString(),
  );
}

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
});

describe('windowTitle', () => {
  const [first, second] = [
    { start: '2026-10-25T00:00:00Z', end: '2026-10-25T01:00:00Z' },
    { start: '2026-10-25T01:00:00Z', end: '2026-10-25T02:00:00Z' },
  ];

  it.each([
    ['month', 'UTC', 'October 2026'],
    ['day', 'UTC', 'Sun, Oct 25, 2026'],
    ['hour', 'UTC', 'Oct 25, 2026, 12:00 – 1:00 AM UTC'],
    ['minute', 'Europe/Berlin', 'Oct 25, 2026, 2:00 AM GMT+2'],
  ] as const)('names a period of one %s in %s', (interval, timeZone, title) => {
    expect(windowTitle(first, first, interval, timeZone, 'en-US').replaceAll(/[\u2009\u202f]/g, ' ')).toBe(
      title,
    );
  });

  it('tells the repeated hour apart when clocks are set back', () => {
    const title = (period: typeof first) => windowTitle(period, period, 'hour', 'Europe/Berlin', 'en-GB');
    expect(title(first)).toContain('CEST');
    expect(title(second)).toContain('CET');
  });
});
