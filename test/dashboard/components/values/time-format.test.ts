import { describe, expect, it } from 'vitest';
import {
  formatDate,
  formatDateTime,
  formatFullTime,
  formatRelativeTime,
} from '#dashboard/components/values/time-format.ts';

const time = new Date('2026-11-22T23:05:09Z');

describe('Times', () => {
  it('are shown in the locale and zone', () => {
    expect(formatDate(time, 'en-GB', 'Europe/Berlin')).toBe('23 Nov 2026');
    expect(formatDateTime(time, 'de-DE', 'Europe/Berlin')).toBe('23.11.2026, 00:05');
  });

  it('are shown in full with the name of the zone', () => {
    expect(formatFullTime(time, 'en-GB', 'UTC')).toBe('22 Nov 2026, 23:05:09 UTC');
  });

  it.each([
    ['2026-11-22T23:05:50Z', 'now'],
    ['2026-11-22T23:04:10Z', 'now'],
    ['2026-11-22T23:06:09Z', '1 minute ago'],
    ['2026-11-23T00:05:08Z', '59 minutes ago'],
    ['2026-11-23T00:05:09Z', '1 hour ago'],
    ['2026-11-24T23:05:09Z', '2 days ago'],
    ['2026-11-22T11:05:10Z', 'in 11 hours'],
  ])('are relative to %s as "%s"', (now, text) => {
    expect(formatRelativeTime(time, new Date(now), 'en')).toBe(text);
  });
});
