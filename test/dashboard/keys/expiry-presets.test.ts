import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  checkDay,
  dayOf,
  type ExpiryChoice,
  expiryTime,
  formatExpiry,
} from '#dashboard/keys/expiry-presets.ts';

beforeEach(() => void vi.stubEnv('TZ', 'Europe/Berlin'));
afterEach(() => void vi.unstubAllEnvs());

describe('The expiry of a key', () => {
  it.each<[ExpiryChoice, string, string | null]>([
    ['never', '2026-11-23T13:05:42.123Z', null],
    ['7-days', '2026-11-23T13:05:42.123Z', '2026-11-30T13:05:00.000Z'],
    ['30-days', '2026-11-23T13:05:42.123Z', '2026-12-23T13:05:00.000Z'],
    ['1-year', '2026-11-23T13:05:42.123Z', '2027-11-23T13:05:00.000Z'],
    // Summer time begins on 28 March and ends on 25 October 2027: the time of day stays.
    ['7-days', '2027-03-25T13:05:00.000Z', '2027-04-01T12:05:00.000Z'],
    ['30-days', '2027-10-01T12:05:00.000Z', '2027-10-31T13:05:00.000Z'],
    ['90-days', '2026-12-31T13:05:00.000Z', '2027-03-31T12:05:00.000Z'],
    // 02:30 does not exist on 28 March 2027, and 29 February not in 2029.
    ['7-days', '2027-03-21T01:30:00.000Z', '2027-03-28T01:30:00.000Z'],
    ['1-year', '2028-02-29T12:00:00.000Z', '2029-03-01T12:00:00.000Z'],
  ])('for %s from %s is %s', (choice, now, expiry) => {
    expect(expiryTime(choice, '', new Date(now))?.toISOString() ?? null).toBe(expiry);
  });

  it('at a date is the last minute of that day in the zone of the browser', () => {
    const now = new Date('2026-11-23T13:05:00Z');
    expect(expiryTime('date', '2026-12-24', now)?.toISOString()).toBe('2026-12-24T22:59:00.000Z');
    expect(expiryTime('date', '2027-07-01', now)?.toISOString()).toBe('2027-07-01T21:59:00.000Z');
    expect(expiryTime('date', '2027-02-29', now)).toBeNull();
    expect(expiryTime('date', '', now)).toBeNull();
  });

  it('is in another zone if the person has chosen one', () => {
    const now = new Date('2026-11-23T20:05:00Z');
    const zone = 'Asia/Kolkata';
    expect(expiryTime('date', '2026-12-24', now, zone)?.toISOString()).toBe('2026-12-24T18:29:00.000Z');
    expect(expiryTime('7-days', '', now, zone)?.toISOString()).toBe('2026-11-30T20:05:00.000Z');
    expect(dayOf(now, zone)).toBe('2026-11-24');
    expect(checkDay('2026-11-23', now, zone)).toBe('Choose a date that is not over');
  });

  it('can be today, but not before', () => {
    const now = new Date('2026-11-23T22:30:00Z');
    expect(dayOf(now)).toBe('2026-11-23');
    expect(checkDay('2026-11-23', now)).toBeNull();
    expect(checkDay('2026-11-22', now)).toBe('Choose a date that is not over');
    expect(checkDay('24.12.2026', now)).toBe('Choose a date');
  });

  it('is shown with weekday and zone', () => {
    const time = new Date('2026-12-24T22:59:00Z');
    expect(formatExpiry(time, 'en-GB', 'Europe/Berlin')).toBe('Thu, 24 Dec 2026, 23:59 CET');
  });
});
