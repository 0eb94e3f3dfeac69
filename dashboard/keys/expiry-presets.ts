/** When a key expires: after a preset time, or at the end of a day. In the time zone of the browser. */

import { dateFormat } from '#dashboard/components/values/locale.ts';

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
export function expiryTime(choice: ExpiryChoice, day: string, now: Date): Date | null {
  if (choice === 'never') return null;
  if (choice === 'date') return lastMinuteOf(day);
  const { days, years } = presets[choice];
  // The same time of day, also where clocks change in between.
  return new Date(
    now.getFullYear() + years,
    now.getMonth(),
    now.getDate() + days,
    now.getHours(),
    now.getMinutes(),
  );
}

/** Returns why a date is refused, or `null`. */
export function checkDay(day: string, now: Date): string | null {
  const time = lastMinuteOf(day);
  if (time === null) return 'Choose a date';
  return time > now ? null : 'Choose a date that is not over';
}

/** Returns the date such as `2026-12-24`. */
export function dayOf(time: Date): string {
  const pad = (value: number, digits: number) => String(value).padStart(digits, '0');
  return `${pad(time.getFullYear(), 4)}-${pad(time.getMonth() + 1, 2)}-${pad(time.getDate(), 2)}`;
}

function lastMinuteOf(day: string): Date | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (year === undefined) return null;
  const time = new Date(Number(year), Number(month) - 1, Number(date), 23, 59);
  return dayOf(time) === day ? time : null;
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
