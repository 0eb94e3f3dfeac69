/** Formats times in a locale (the browser's by default) and in UTC. */

import { dayMs, hourMs, minuteMs } from '#lambdas/platform/duration.ts';

type Locale = Intl.LocalesArgument;

export function formatDate(time: Date, locale?: Locale, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }).format(time);
}

export function formatDateTime(time: Date, locale?: Locale, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(time);
}

/** Returns text such as "1 Oct" for the date `2026-10-01`. */
export function formatMonthDay(date: string, locale?: Locale): string {
  return new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(
    new Date(date),
  );
}

/** Includes seconds and the name of the zone. */
export function formatFullTime(time: Date, locale?: Locale, timeZone?: string): string {
  const fields: Intl.DateTimeFormatOptions = {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    timeZone,
  };
  return new Intl.DateTimeFormat(locale, fields).format(time);
}

/** Without the year: "23 Nov, 17:21:18". To format many times. */
export function secondsFormat(timeZone: string, locale?: Locale): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZone,
  });
}

/** Returns text such as "12 minutes ago" or "in 11 hours", rounded towards now, with days as the largest unit. */
export function formatRelativeTime(time: Date, now: Date, locale?: Locale): string {
  const distanceMs = time.getTime() - now.getTime();
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const sizeMs = Math.abs(distanceMs);
  if (sizeMs < minuteMs) return format.format(0, 'second');
  if (sizeMs < hourMs) return format.format(Math.trunc(distanceMs / minuteMs), 'minute');
  if (sizeMs < dayMs) return format.format(Math.trunc(distanceMs / hourMs), 'hour');
  return format.format(Math.trunc(distanceMs / dayMs), 'day');
}
