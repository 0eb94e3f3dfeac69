import { describe, expect, it } from 'vitest';
import { completeText, countingOf, lagText } from '#dashboard/range/counting.ts';

const fetchedAtMs = Date.parse('2026-11-23T12:04:00Z');
const options = { timeZone: 'UTC', now: new Date(fetchedAtMs), locale: 'en-GB' };

describe('Counting', () => {
  it('is that of the report which is the furthest behind, each at its own fetch', () => {
    const counting = countingOf([
      { completeUntil: '2026-11-23T12:03:20Z', fetchedAtMs },
      { completeUntil: '2026-11-23T12:02:30Z', fetchedAtMs: fetchedAtMs - 50_000 },
    ]);

    expect(counting).toEqual({ completeUntil: new Date('2026-11-23T12:02:30Z'), lagMs: null });
  });

  it('lags if a report is behind by more than a minute', () => {
    const lagOf = (completeUntil: string) => countingOf([{ completeUntil, fetchedAtMs }])?.lagMs;

    expect(lagOf('2026-11-23T12:03:00Z')).toBe(null);
    expect(lagOf('2026-11-23T12:02:59Z')).toBe(61_000);
  });

  it('is unknown without reports', () => {
    expect(countingOf([])).toBe(null);
  });

  it('is told with the time in the zone, and with the day if it is another one', () => {
    const until = (time: string) => ({ completeUntil: new Date(time), lagMs: null });

    expect(completeText(until('2026-11-23T12:03:20Z'), options)).toBe('Complete up to 12:03:20 UTC');
    expect(completeText(until('2026-11-21T23:00:00Z'), { ...options, timeZone: 'Europe/Berlin' })).toBe(
      'Complete up to 22 Nov, 00:00:00 CET',
    );
  });

  it.each([
    [61_000, '1 minute'],
    [119 * 60_000, '119 minutes'],
    [47 * 3_600_000, '47 hours'],
    [50 * 3_600_000, '2 days'],
  ])('that lags by %i ms lags by %s', (lagMs, text) => {
    expect(lagText(new Date('2026-11-23T12:03:20Z'), lagMs, options)).toBe(
      `Counting lags by ${text}: requests after 12:03 may be missing`,
    );
  });
});
