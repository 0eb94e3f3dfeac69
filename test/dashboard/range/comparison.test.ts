import { describe, expect, it } from 'vitest';
import {
  calendarUnits,
  comparisonOf,
  earlierBounds,
  shortWindowTitles,
  windowTitle,
} from '#dashboard/range/comparison.ts';
import { parseRangeSearch, presetNames, rangeInstants, resolveRange } from '#dashboard/range/range.ts';
import { fc } from '#test/support/fast-check.ts';

const thursday = new Date('2026-11-26T06:37:42.123Z');

/** The second range of a preset; `null` for as much time before. */
function comparedWith(search: Record<string, unknown>, now = thursday) {
  return comparisonOf(resolveRange(parseRangeSearch(search), now)).secondRange?.boundsAt(now) ?? null;
}

describe('A range of the calendar', () => {
  it.each([
    ['today', '2026-11-25T00:00:00.000Z', '2026-11-25T06:37:00.000Z'],
    ['yesterday', '2026-11-24T00:00:00.000Z', '2026-11-25T00:00:00.000Z'],
    ['week', '2026-11-16T00:00:00.000Z', '2026-11-19T06:37:00.000Z'],
    ['last-week', '2026-11-09T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ['month', '2026-10-01T00:00:00.000Z', '2026-10-26T06:37:00.000Z'],
    ['last-month', '2026-09-01T00:00:00.000Z', '2026-10-01T00:00:00.000Z'],
  ])('is compared with the same days and hours before: %s', (range, start, end) => {
    expect(comparedWith({ range })).toEqual({ start, end });
  });

  it('is compared by the days of its zone', () => {
    expect(comparedWith({ range: 'week', time_zone: 'America/Los_Angeles' })).toEqual({
      start: '2026-11-16T08:00:00.000Z',
      end: '2026-11-19T06:37:00.000Z',
    });
  });

  it('ends with the month before, if that has no such day', () => {
    expect(comparedWith({ range: 'month' }, new Date('2026-10-31T18:00:00Z'))).toEqual({
      start: '2026-09-01T00:00:00.000Z',
      end: '2026-10-01T00:00:00.000Z',
    });
    expect(comparedWith({ range: 'month' }, new Date('2024-03-30T18:00:00Z'))).toEqual({
      start: '2024-02-01T00:00:00.000Z',
      end: '2024-03-01T00:00:00.000Z',
    });
  });

  it('is compared up to the same hour of the clock, when clocks have changed in between', () => {
    const berlin = { range: 'week', time_zone: 'Europe/Berlin' };
    // 10:00 in winter, and a week before in summer.
    expect(comparedWith(berlin, new Date('2026-10-28T09:00:00Z'))).toEqual({
      start: '2026-10-18T22:00:00.000Z',
      end: '2026-10-21T08:00:00.000Z',
    });
    // On the day after clocks were set forward, whose 2:30 did not exist.
    const afterChange = new Date('2026-03-30T00:30:00Z');
    expect(comparedWith({ range: 'today', time_zone: 'Europe/Berlin' }, afterChange)).toEqual({
      start: '2026-03-28T23:00:00.000Z',
      end: '2026-03-29T01:30:00.000Z',
    });
    // On the day after clocks were set back, whose 2:30 came twice.
    const afterReturn = new Date('2026-10-26T01:30:00Z');
    expect(comparedWith({ range: 'today', time_zone: 'Europe/Berlin' }, afterReturn)).toEqual({
      start: '2026-10-24T22:00:00.000Z',
      end: '2026-10-25T00:30:00.000Z',
    });
  });
});

describe('Any other range', () => {
  it('is compared with as much time before', () => {
    const rolling = presetNames.filter((range) => comparedWith({ range }) === null);

    expect(rolling).toEqual(['1h', '24h', '7d', '30d', '90d', '12m']);
    expect(comparedWith({ start: '2026-11-01', end: '2026-11-08' })).toBeNull();
    expect(comparisonOf(resolveRange({ range: '7d' }, thursday)).title).toBe('as much time before');
  });
});

describe('A range one unit earlier', () => {
  it('has the days that the earlier month has', () => {
    const monthBefore = (start: string, end: string) =>
      earlierBounds({ start, end }, 'month', thursday, 'UTC');

    expect(monthBefore('2026-03-31', '2026-04-01')).toEqual({
      start: '2026-02-28T00:00:00.000Z',
      end: '2026-03-01T00:00:00.000Z',
    });
    expect(earlierBounds({ start: '2024-02-29', end: '2024-03-01' }, 'year', thursday, 'UTC')).toEqual({
      start: '2023-02-28T00:00:00.000Z',
      end: '2023-03-01T00:00:00.000Z',
    });
  });

  it('is never empty, and ends before the range does', () => {
    const time = fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
    const zone = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/Los_Angeles', 'Africa/Casablanca');
    const hours = fc.integer({ min: 2, max: 24 * 400 });
    fc.assert(
      fc.property(time, hours, fc.constantFrom(...calendarUnits), zone, (at, count, unit, timeZone) => {
        const bounds = {
          start: at.toISOString(),
          end: new Date(at.getTime() + count * 3_600_000).toISOString(),
        };
        const { start, end } = earlierBounds(bounds, unit, at, timeZone);
        expect(start < end).toBe(true);
        expect(new Date(end) < rangeInstants(bounds, at, timeZone).end).toBe(true);
      }),
    );
  });
});

describe('The title of a window', () => {
  it('has times unless it consists of whole days, and ends now unless it has an end', () => {
    const title = (end: string | null) =>
      windowTitle({ start: '2026-11-22T23:00:00.000Z', end }, 'Europe/Berlin', thursday, 'en-GB').replaceAll(
        '\u2009',
        ' ',
      );

    expect(title('2026-11-25T23:00:00.000Z')).toBe('23 – 25 Nov 2026');
    expect(title(null)).toBe('23 Nov 2026, 00:00 – 26 Nov 2026, 07:37');
  });
});

describe('The short titles of two windows', () => {
  const titles = (first: [string, string | null], second: [string | null, string]) =>
    shortWindowTitles(
      [
        { start: first[0], end: first[1] },
        { start: second[0], end: second[1] },
      ],
      'Europe/Berlin',
      thursday,
      'en-GB',
    )?.map((title) => title.replaceAll(/\s/g, ' ')) ?? null;

  it('are their days, up to the last one', () => {
    expect(titles(['2026-11-22T23:00:00Z', null], ['2026-11-15T23:00:00Z', '2026-11-19T23:00:00Z'])).toEqual([
      '23 – 26 Nov',
      '16 – 19 Nov',
    ]);
    expect(titles(['2026-11-25T23:00:00Z', null], ['2026-11-24T23:00:00Z', '2026-11-25T06:37:00Z'])).toEqual([
      '26 Nov',
      '25 Nov',
    ]);
  });

  it('have years if there are several', () => {
    expect(titles(['2026-10-31T23:00:00Z', null], ['2025-10-31T23:00:00Z', '2025-11-26T06:37:00Z'])).toEqual([
      '1 – 26 Nov 2026',
      '1 – 26 Nov 2025',
    ]);
  });

  it('have times if the days are the same', () => {
    expect(titles(['2026-11-26T05:37:00Z', null], ['2026-11-26T04:37:00Z', '2026-11-26T05:37:00Z'])).toEqual([
      '26 Nov, 06:37–07:37',
      '26 Nov, 05:37–06:37',
    ]);
  });

  it('are missing if nothing tells the windows apart, or one has no beginning', () => {
    const hour = ['2026-11-26T04:37:00Z', '2026-11-26T05:37:00Z'] as [string, string];
    expect([titles(hour, hour), titles(hour, [null, hour[1]])]).toEqual([null, null]);
  });
});
