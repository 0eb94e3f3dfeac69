import { describe, expect, it } from 'vitest';
import { isUtc, startOfDate, zoneTitle } from '#dashboard/range/zone.ts';

describe('The first moment of a date', () => {
  it.each([
    ['2026-11-23', 'UTC', '2026-11-23T00:00:00.000Z'],
    ['2026-11-23', 'Asia/Kolkata', '2026-11-22T18:30:00.000Z'],
    ['2026-11-23', 'Pacific/Kiritimati', '2026-11-22T10:00:00.000Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    // Clocks skip from midnight to one.
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    // Clocks go back from one to midnight, which occurs twice.
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
  ])('%s in %s is %s', (date, timeZone, start) => {
    expect(startOfDate(date, timeZone).toISOString()).toBe(start);
  });
});

describe('UTC', () => {
  it('has other names, but is not the zone of London', () => {
    expect(['UTC', 'Etc/UTC', 'GMT', 'Europe/London'].map(isUtc)).toEqual([true, true, true, false]);
    expect(['Etc/UTC', 'America/New_York'].map(zoneTitle)).toEqual(['UTC', 'America/New York']);
  });
});
