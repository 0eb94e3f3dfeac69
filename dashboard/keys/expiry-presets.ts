/** When a key expires: after a preset time, or at the end of a day. In the zone of the person. */

import { dateFormat } from '#dashboard/components/values/locale.ts';
import { browserTimeZone } from '#dashboard/components/values/time-zone.ts';
import { localDate } from '#dashboard/range/range.ts';
import { instantOfClock, zoneClock } from '#dashboard/range/zone.ts';

export const expiryChoices = ['never', '7-days', '30-days', '90-days', '1-year', 'date'] as const;

export type ExpiryChoice = (typeof expiryChoices)[number];

export const expiryLabels: Record<ExpiryChoice, string> = {
  never: 'Never',
  '7-days': '7 days',
  '30-days': '30 days',
  '90-days': '90 days',
  '1-year': '1 year',
  date: 'Custom date',
};

const presets: Record<Exclude<ExpiryChoice, 'never' | 'date'>, { days: number; years: number }> = {
  '7-days': { days: 7, years: 0 },
  '30-days': { days: 30, years: 0 },
  '90-days': { days: 90, years: 0 },
  '1-year': { days: 0, years: 1 },
};

/**
 * Returns the time, at a full minute as it is shown; `null` for never, and for a date that is missing or malformed.
 *
 * @param day the chosen date, such as `2026-12-24`; the key works until it ends
 */
export function expiryTime(
  choice: ExpiryChoice,
  day: string,
  now: Date,
  timeZone = browserTimeZone(),
): Date | null {
  if (choice === 'never') return null;
  if (choice === 'date') return lastMinuteOf(day, timeZone);
  const { days, years } = presets[choice];
  // The same time of day, also where clocks change in between.
  const clock = zoneClock(timeZone)(now);
  clock.setUTCFullYear(clock.getUTCFullYear() + years, clock.getUTCMonth(), clock.getUTCDate() + days);
  return instantOfClock(new Date(clock.setUTCSeconds(0, 0)), timeZone);
}

/** Returns why a date is refused, or `null`. */
export function checkDay(day: string, now: Date, timeZone = browserTimeZone()): string | null {
  const time = lastMinuteOf(day, timeZone);
  if (time === null) return 'Choose a date';
  return time > now ? null : 'Choose a date that is not over';
}

/** Returns the date such as `2026-12-24`. */
export function dayOf(time: Date, timeZone = browserTimeZone()): string {
  return localDate(time, timeZone);
}

function lastMinuteOf(day: string, timeZone: string): Date | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return null;
  const clockMs = Date.parse(`${day}T23:59:00Z`);
  // Some programs read 30 February as 2 March.
  const exists = !Number.isNaN(clockMs) && new Date(clockMs).toISOString().startsWith(day);
  return exists ? instantOfClock(new Date(clockMs), timeZone) : null;
}

/** Returns text such as "Thu, 24 Dec 2026, 23:59 CET". */
export function formatExpiry(time: Date, locale?: Intl.LocalesArgument, timeZone?: string): string {
  return dateFormat(
    {
      weekday: 'short',
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
      timeZone,
    },
    locale,
  ).format(time);
}
