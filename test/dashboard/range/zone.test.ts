import { afterEach, describe, expect, it, vi } from 'vitest';
import { browserTimeZone, isUtc, zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { addDays, localDate } from '#dashboard/range/range.ts';
import { isTimeZone, startOfDate, zoneClock } from '#dashboard/range/zone.ts';
import { fc } from '#test/support/fast-check.ts';

describe('The first moment of a date', () => {
  it.each([
    ['2026-11-23', 'UTC', '2026-11-23T00:00:00.000Z'],
    ['2026-11-23', 'Asia/Kolkata', '2026-11-22T18:30:00.000Z'],
    ['2026-11-23', 'Pacific/Kiritimati', '2026-11-22T10:00:00.000Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    // Clocks change between midnight and midnight UTC.
    ['2026-09-27', 'Pacific/Auckland', '2026-09-26T12:00:00.000Z'],
    ['2026-04-05', 'Pacific/Auckland', '2026-04-04T11:00:00.000Z'],
    // Clocks skip from midnight to one.
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    // Clocks go back from one to midnight, which occurs twice.
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
  ])('%s in %s is %s', (date, timeZone, start) => {
    expect(startOfDate(date, timeZone).toISOString()).toBe(start);
  });
});

describe('The first moment of any date', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/Havana',
    'America/Santiago',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Pacific/Auckland',
  ];
  const date = fc.nat(20_000).map((days) => addDays('1990-01-01', days));

  it('is on that date, unlike the millisecond before it', () => {
    fc.assert(
      fc.property(date, fc.constantFrom(...zones), (text, timeZone) => {
        const start = startOfDate(text, timeZone);
        expect(localDate(start, timeZone)).toBe(text);
        expect(localDate(new Date(start.getTime() - 1), timeZone) < text).toBe(true);
      }),
    );
  });
});

describe('The clock of a zone', () => {
  it.each([
    ['UTC', '2026-11-23T12:34:56.000Z'],
    ['Asia/Kathmandu', '2026-11-23T18:19:56.000Z'],
    ['America/St_Johns', '2026-11-23T09:04:56.000Z'],
    ['Pacific/Kiritimati', '2026-11-24T02:34:56.000Z'],
  ])('in %s shows %s', (timeZone, local) => {
    expect(zoneClock(timeZone)(new Date('2026-11-23T12:34:56.789Z')).toISOString()).toBe(local);
  });

  it('shows midnight as the hour 0', () => {
    expect(zoneClock('Europe/Berlin')(new Date('2026-11-22T23:00:00Z')).toISOString()).toBe(
      '2026-11-23T00:00:00.000Z',
    );
  });
});

describe('A time zone', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each([
    ['Europe/Berlin', true],
    ['utc', true],
    ['Europe/Atlantis', false],
    ['', false],
    [undefined, false],
    [null, false],
    [1, false],
  ])('can be %j: %s', (value, expected) => {
    expect(isTimeZone(value)).toBe(expected);
  });

  it('is that of the browser', () => {
    vi.stubEnv('TZ', 'America/Havana');
    expect(browserTimeZone()).toBe('America/Havana');
  });
});

describe('UTC', () => {
  it('has other names, but is not the zone of London', () => {
    expect(['UTC', 'Etc/UTC', 'GMT', 'Europe/London'].map(isUtc)).toEqual([true, true, true, false]);
    expect(['Etc/UTC', 'America/New_York'].map(zoneTitle)).toEqual(['UTC', 'America/New York']);
  });

  it.each(['Etc/GMT+1', 'GMT0x', 'Europe/UTC', 'UTC2', 'Africa/Abidjan'])('is not %s', (name) => {
    expect(isUtc(name)).toBe(false);
  });

  it.each(['utc', 'Zulu', 'Etc/Greenwich', 'UCT', 'etc/universal'])('is %s', (name) => {
    expect(isUtc(name)).toBe(true);
  });
});
