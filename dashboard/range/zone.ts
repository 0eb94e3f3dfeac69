/** Time zones by their IANA names. */

import { dayMs } from '#lambdas/platform/duration.ts';

export { useTimeZone } from '#dashboard/components/values/time-zone.ts';

export function isTimeZone(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

/** Returns a clock of the zone, which gives its date and time to the second in the UTC fields of a `Date`. */
export function zoneClock(timeZone: string): (time: Date) => Date {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (time) => {
    const parts = format.formatToParts(time);
    const part = (name: Intl.DateTimeFormatPartTypes) =>
      Number(parts.find(({ type }) => type === name)?.value);
    return new Date(
      Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')),
    );
  };
}

/** Returns the first moment of a date, such as `2026-11-23`. Where clocks skip midnight, this is when they do. */
export function startOfDate(date: string, timeZone: string): Date {
  return instantOfClock(new Date(`${date}T00:00:00Z`), timeZone);
}

/**
 * Returns the moment at which the clock of the zone shows a date and time, given in UTC fields as by `zoneClock`: the first one
 * where it shows it twice. What it skips is as much after the change as it would have been without.
 */
export function instantOfClock(shown: Date, timeZone: string): Date {
  const shownMs = shown.getTime();
  const clock = zoneClock(timeZone);
  const localMs = (timeMs: number) => clock(new Date(timeMs)).getTime();
  // The offsets a day before and after: the clocks change at most once between them.
  const candidatesMs = [shownMs - dayMs, shownMs + dayMs].map(
    (timeMs) => shownMs - (localMs(timeMs) - timeMs),
  );
  const isShown = (timeMs: number) => localMs(timeMs) === shownMs;
  return new Date(candidatesMs.sort((one, other) => one - other).find(isShown) ?? Math.max(...candidatesMs));
}
