import { describe, expect, it } from 'vitest';
import { periodTitle, windowTitle, zoneTitle } from '#dashboard/charts/period-title.ts';

const plain = (text: string) => text.replaceAll(/[\u2009\u202f]/g, ' ');

const [first, second, third] = [
  { start: '2026-10-25T00:00:00Z', end: '2026-10-25T01:00:00Z' },
  { start: '2026-10-25T01:00:00Z', end: '2026-10-25T02:00:00Z' },
  { start: '2026-10-25T02:00:00Z', end: '2026-10-25T03:00:00Z' },
];
const day = (number: number) => ({
  start: `2026-11-${number}T00:00:00Z`,
  end: `2026-11-${number + 1}T00:00:00Z`,
});

describe('The title of a period', () => {
  it.each([
    ['month', 'UTC', 'October 2026'],
    ['day', 'UTC', 'Sun, Oct 25, 2026'],
    ['hour', 'UTC', 'Oct 25, 2026, 12:00 – 1:00 AM UTC'],
    ['minute', 'Europe/Berlin', 'Oct 25, 2026, 2:00 AM GMT+2'],
  ] as const)('of one %s in %s is %s', (interval, timeZone, title) => {
    expect(plain(periodTitle(first, interval, timeZone, 'en-US'))).toBe(title);
  });

  it('tells the repeated hour apart when clocks are set back', () => {
    const title = (period: typeof first) => periodTitle(period, 'hour', 'Europe/Berlin', 'en-GB');
    expect(title(first)).toContain('CEST');
    expect(title(second)).toContain('CET');
  });

  it('skips the hour that does not exist when clocks are set forward', () => {
    const hour = { start: '2026-03-29T01:00:00Z', end: '2026-03-29T02:00:00Z' };
    expect(plain(periodTitle(hour, 'hour', 'Europe/Berlin', 'en-GB'))).toContain('03:00–04:00 CEST');
  });

  it('has the date of the zone', () => {
    expect(periodTitle(day(23), 'day', 'America/New_York', 'en-GB')).toBe('Sun, 22 Nov 2026');
    expect(periodTitle(day(23), 'day', 'Asia/Tokyo', 'en-GB')).toBe('Mon, 23 Nov 2026');
  });
});

describe('The title of several periods', () => {
  it.each([
    ['days', day(20), day(23), 'day', 'Fri, Nov 20 – Mon, Nov 23, 2026'],
    ['hours, up to the end of the last', first, third, 'hour', 'Oct 25, 2026, 12:00 – 3:00 AM UTC'],
    ['minutes, up to the end of the last', first, second, 'minute', 'Oct 25, 2026, 12:00 – 2:00 AM UTC'],
    ['months', day(10), { ...day(10), start: '2026-12-01T00:00:00Z' }, 'month', 'November – December 2026'],
    ['one', day(20), day(20), 'day', 'Fri, Nov 20, 2026'],
  ] as const)('of %s', (_case, from, to, interval, title) => {
    expect(plain(windowTitle(from, to, interval, 'UTC', 'en-US'))).toBe(title);
  });
});

describe('The title of the zone', () => {
  it.each([
    ['minute', 'UTC', 'Minutes in UTC'],
    ['hour', 'Europe/Berlin', 'Hours in Europe/Berlin'],
    ['day', 'America/Argentina/Buenos_Aires', 'Days in America/Argentina/Buenos Aires'],
    ['month', 'America/North_Dakota/New_Salem', 'Months in America/North Dakota/New Salem'],
  ] as const)('of a chart by %s in %s is %s', (interval, timeZone, title) => {
    expect(zoneTitle(interval, timeZone)).toBe(title);
  });
});
