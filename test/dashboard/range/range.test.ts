import { describe, expect, it } from 'vitest';
import {
  addDays,
  addMonths,
  localDate,
  parseRangeSearch,
  presetNames,
  rangeInstants,
  resolveRange,
} from '#dashboard/range/range.ts';
import { parseSearch, stringifySearch } from '#dashboard/shell/search.ts';
import { fc } from '#test/support/fast-check.ts';

const now = new Date('2026-11-23T12:34:56.789Z');

function resolved(search: Record<string, unknown>, at = now) {
  return resolveRange(parseRangeSearch(search), at, 'en-GB');
}

describe('A preset', () => {
  it('has dates of the days it contains, or times at a full minute or hour, up to the present', () => {
    const bounds = presetNames.map((range) => [range, resolved({ range }).bounds]);

    expect(Object.fromEntries(bounds)).toEqual({
      '1h': { start: '2026-11-23T11:34:00.000Z' },
      '24h': { start: '2026-11-22T12:00:00.000Z' },
      today: { start: '2026-11-23' },
      yesterday: { start: '2026-11-22', end: '2026-11-23' },
      '7d': { start: '2026-11-17' },
      week: { start: '2026-11-23' },
      'last-week': { start: '2026-11-16', end: '2026-11-23' },
      '30d': { start: '2026-10-25' },
      '90d': { start: '2026-08-26' },
      month: { start: '2026-11-01' },
      'last-month': { start: '2026-10-01', end: '2026-11-01' },
      '12m': { start: '2025-12-01' },
    });
  });

  it.each([
    ['Pacific/Auckland', '2026-11-24'],
    ['America/Los_Angeles', '2026-11-23'],
  ])('begins on the date of %s', (time_zone, today) => {
    expect(resolved({ range: 'today', time_zone }).bounds).toEqual({ start: today, time_zone });
  });

  it('is the same number of days across a change of the clock', () => {
    const after = new Date('2026-10-26T09:00:00Z');

    expect(resolved({ range: '7d', time_zone: 'Europe/Berlin' }, after).bounds.start).toBe('2026-10-20');
    expect(resolved({ range: 'yesterday', time_zone: 'Europe/Berlin' }, after).bounds).toMatchObject({
      start: '2026-10-25',
      end: '2026-10-26',
    });
  });
});

describe('A preset of calendar units', () => {
  it.each([
    ['week', '2026-11-22', { start: '2026-11-16' }],
    ['week', '2026-11-24', { start: '2026-11-23' }],
    ['last-week', '2026-11-22', { start: '2026-11-09', end: '2026-11-16' }],
    ['last-month', '2026-01-31', { start: '2025-12-01', end: '2026-01-01' }],
    ['month', '2026-12-31', { start: '2026-12-01' }],
    ['12m', '2026-12-31', { start: '2026-01-01' }],
    ['90d', '2026-03-01', { start: '2025-12-02' }],
  ] as const)('is the %s of %s', (range, day, bounds) => {
    expect(resolved({ range }, new Date(`${day}T23:59:59Z`)).bounds).toEqual(bounds);
  });

  it('contains the present, and ends with its unit', () => {
    const time = fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
    const zone = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/Los_Angeles', 'Pacific/Kiritimati');
    fc.assert(
      fc.property(fc.constantFrom(...presetNames), time, zone, (range, at, time_zone) => {
        const { bounds, timeZone } = resolved({ range, time_zone }, at);
        const { start, end } = rangeInstants(bounds, at, timeZone);
        const isPast = ['yesterday', 'last-week', 'last-month'].includes(range);
        expect(start.getTime()).toBeLessThanOrEqual(at.getTime());
        expect(end.getTime() - start.getTime()).toBeGreaterThanOrEqual(0);
        expect(isPast ? bounds.end !== undefined && end <= at : end).toEqual(isPast ? true : at);
      }),
    );
  });
});

describe('Dates', () => {
  it.each([
    ['2024-02-28', 1, '2024-02-29'],
    ['2026-02-28', 1, '2026-03-01'],
    ['2026-01-01', -1, '2025-12-31'],
    ['2026-11-23', 0, '2026-11-23'],
    ['2026-11-23', 400, '2027-12-28'],
  ])('from %s by %i days are %s', (date, days, expected) => {
    expect(addDays(date, days)).toBe(expected);
  });

  it.each([
    ['2026-01-01', -1, '2025-12-01'],
    ['2026-11-01', 1, '2026-12-01'],
    ['2026-11-01', 2, '2027-01-01'],
    ['2026-11-01', -23, '2024-12-01'],
  ])('from %s by %i months are %s', (date, months, expected) => {
    expect(addMonths(date, months)).toBe(expected);
  });

  it.each([
    ['2026-11-23T23:30:00Z', 'UTC', '2026-11-23'],
    ['2026-11-23T23:30:00Z', 'Europe/Berlin', '2026-11-24'],
    ['2026-11-23T04:30:00Z', 'America/New_York', '2026-11-22'],
    ['2026-11-23T05:00:00Z', 'America/New_York', '2026-11-23'],
  ])('at %s in %s are %s', (time, timeZone, date) => {
    expect(localDate(new Date(time), timeZone)).toBe(date);
  });
});

describe('The instants of a range', () => {
  it.each([
    [{ start: '2026-11-01' }, 'UTC', '2026-11-01T00:00:00.000Z', now.toISOString()],
    [
      { start: '2026-11-01', end: '2026-11-02' },
      'Asia/Tokyo',
      '2026-10-31T15:00:00.000Z',
      '2026-11-01T15:00:00.000Z',
    ],
    [
      { start: '2026-11-01T10:00:00+02:00', end: '2026-11-01T09:00:00Z' },
      'Asia/Tokyo',
      '2026-11-01T08:00:00.000Z',
      '2026-11-01T09:00:00.000Z',
    ],
    [
      { start: '2026-03-29', end: '2026-03-30' },
      'Europe/Berlin',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ],
    [
      { start: '2026-10-25', end: '2026-10-26' },
      'Europe/Berlin',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ],
  ])('of %j in %s are those of the zone’s days, or of the timestamps', (bounds, timeZone, start, end) => {
    const instants = rangeInstants(bounds, now, timeZone);
    expect([instants.start.toISOString(), instants.end.toISOString()]).toEqual([start, end]);
  });
});

describe('The title', () => {
  it.each([
    [{}, 'Last 30 days'],
    [{ range: 'last-month' }, 'Last month'],
    [{ start: '2026-11-01', end: '2026-11-24' }, '1 – 23 Nov 2026'],
    [{ start: '2026-11-23', end: '2026-11-24' }, '23 Nov 2026'],
    [{ start: '2026-11-23' }, 'Since 23 Nov 2026'],
    [{ start: '2026-11-23T09:00:00Z', end: '2026-11-23T10:30:00Z' }, '23 Nov 2026, 09:00–10:30'],
    [{ start: '2026-11-23T09:00:00Z', time_zone: 'Asia/Kolkata' }, 'Since 23 Nov 2026, 14:30'],
    // A local day of a chart, which has 25 hours.
    [
      { start: '2026-10-24T22:00:00Z', end: '2026-10-25T23:00:00Z', time_zone: 'Europe/Berlin' },
      '25 Oct 2026',
    ],
  ])('of %j is %j', (search, title) => {
    expect(resolved(search).title.replaceAll(/\s/gu, ' ')).toBe(title);
  });
});

describe('A link', () => {
  it('keeps a preset or bounds, and the zone', () => {
    const bounds = { start: '2026-11-01', end: '2026-11-24', time_zone: 'Europe/Berlin' };

    expect(parseRangeSearch({ range: '7d', model: 'gpt' })).toEqual({ range: '7d' });
    expect(parseRangeSearch({ range: '7d', ...bounds })).toEqual(bounds);
  });

  it.each([
    { range: 'toString' },
    { start: '2026-02-30' },
    { start: '2026-02-30T00:00:00Z' },
    { start: '2026-11-23T00:00:00' },
    { start: 'yesterday' },
    { end: '2026-11-23' },
    { start: '2026-11-23', end: '2026-11-23' },
    { start: '2026-11-23', end: 'now' },
    { start: '2026-11-22', end: '2026-11-23T12:00:00Z' },
    { time_zone: 'Europe/Atlantis' },
    { time_zone: 2 },
  ])('ignores %j', (search) => {
    expect(parseRangeSearch(search)).toEqual({});
  });
});

describe('A range', () => {
  it('has the zone of the link, and is a preset unless the link has bounds', () => {
    expect(resolved({ range: '7d' })).toMatchObject({ preset: '7d', timeZone: 'UTC', title: 'Last 7 days' });
    expect(resolved({ time_zone: 'Asia/Tokyo' })).toMatchObject({ preset: '30d', timeZone: 'Asia/Tokyo' });
    expect(resolved({ range: '7d', start: '2026-11-01', time_zone: 'Asia/Tokyo' })).toMatchObject({
      preset: null,
      bounds: { start: '2026-11-01', end: undefined, time_zone: 'Asia/Tokyo' },
    });
  });

  it('is the same when its link is read again', () => {
    const day = fc.integer({ min: 0, max: 4000 }).map((days) => addDays('2020-01-01', days));
    const bounds = fc.record({ start: day, end: day }, { requiredKeys: [] });
    const link = fc.tuple(fc.constantFrom(undefined, ...presetNames), bounds).map(([range, rest]) => ({
      range,
      ...rest,
    }));
    fc.assert(
      fc.property(link, (search) => {
        const parsed = parseRangeSearch(search);
        expect(parseRangeSearch(parseSearch(stringifySearch({ ...parsed })))).toEqual(parsed);
        // Either a preset or bounds, and these in their order.
        expect(parsed.range === undefined || parsed.start === undefined).toBe(true);
        expect(parsed.end === undefined || String(parsed.start) < parsed.end).toBe(true);
      }),
    );
  });
});

describe('The intervals of a range', () => {
  const lasting = (hours: number) => {
    const end = new Date(Date.parse('2020-01-01T00:00:00Z') + hours * 3_600_000).toISOString();
    const { interval, intervals } = resolved({ start: '2020-01-01T00:00:00Z', end });
    return [interval, ...intervals].join(' ');
  };

  it.each([
    [3, 'minute minute hour', 'hour minute hour'],
    [16, 'hour minute hour', 'hour hour day'],
    [72, 'hour hour day', 'day hour day month'],
    [41 * 24, 'day hour day month', 'day day month'],
    [100 * 24, 'day day month', 'month day month'],
    [900 * 24, 'month day month', 'month month'],
  ])('up to %i hours are "%s", and then "%s"', (hours, upTo, above) => {
    expect([lasting(hours), lasting(hours + 0.001)]).toEqual([upTo, above]);
  });
});

describe('The interval', () => {
  it.each([
    [{ range: '1h' }, 'minute', ['minute', 'hour']],
    [{ range: '24h' }, 'hour', ['hour', 'day']],
    [{ range: 'today' }, 'hour', ['minute', 'hour']],
    // Noon UTC is 21:00 in Tokyo: too many minutes.
    [{ range: 'today', time_zone: 'Asia/Tokyo' }, 'hour', ['hour', 'day']],
    [{ range: '30d' }, 'day', ['hour', 'day', 'month']],
    [{ range: '90d' }, 'day', ['day', 'month']],
    [{ range: '12m' }, 'month', ['day', 'month']],
    [{ start: '2020-01-01' }, 'month', ['month']],
  ])('of %j is by default the %s', (search, interval, intervals) => {
    expect(resolved(search)).toMatchObject({ interval, intervals });
  });
});
