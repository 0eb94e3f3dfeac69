import { describe, expect, it } from 'vitest';
import { parseRangeSearch, presetNames, resolveRange } from '#dashboard/range/range.ts';

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
