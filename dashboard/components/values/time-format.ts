/** Formats times in a locale and a zone, by default those of the browser. */

import { dayMs, hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import { dateFormat, type Locale } from './locale.ts';

export function formatDate(time: Date, locale?: Locale, timeZone?: string): string {
  return dateFormat({ dateStyle: 'medium', timeZone }, locale).format(time);
}

/** Names the zone, as all full times do: "23 Nov 2026, 00:05 CET". */
export function formatDateTime(time: Date, locale?: Locale, timeZone?: string): string {
  return dateFormat({ ...dateTimeFields, timeZone }, locale).format(time);
}

const dateTimeFields: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
};

/** Returns text such as "1 Oct" for the date `2026-10-01`. */
export function formatMonthDay(date: string, locale?: Locale): string {
  return dateFormat({ month: 'short', day: 'numeric', timeZone: 'UTC' }, locale).format(new Date(date));
}

/** Returns text such as "14:30", in UTC. */
export function formatUtcTime(time: Date, locale?: Locale): string {
  return dateFormat({ timeStyle: 'short', timeZone: 'UTC' }, locale).format(time);
}

/** Returns text such as "1–21 Nov" for the first and the last date. */
export function formatDayRange(first: string, last: string, locale?: Locale): string {
  const format = dateFormat({ month: 'short', day: 'numeric', timeZone: 'UTC' }, locale);
  return format.formatRange(new Date(first), new Date(last));
}

/** Includes seconds and the name of the zone. */
export function formatFullTime(time: Date, locale?: Locale, timeZone?: string): string {
  return dateFormat({ ...dateTimeFields, second: '2-digit', timeZone }, locale).format(time);
}

/** Without the year: "23 Nov, 17:21:18". To format many times. */
export function secondsFormat(timeZone: string, locale?: Locale): Intl.DateTimeFormat {
  return dateFormat(
    {
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      second: '2-digit',
      timeZone,
    },
    locale,
  );
}

/**
 * Returns text such as "12 minutes ago" or "in 11 hours", with days as the largest unit. The past has full units only; the
 * future is rounded, so that an invitation that was just made for 7 days expires in 7.
 */
export function formatRelativeTime(time: Date, now: Date): string {
  const distanceMs = time.getTime() - now.getTime();
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  if (Math.abs(distanceMs) < minuteMs) return format.format(0, 'second');
  const count = (sizeMs: number) =>
    distanceMs < 0 ? Math.ceil(distanceMs / sizeMs) : Math.round(distanceMs / sizeMs);
  if (Math.abs(count(minuteMs)) < 60) return format.format(count(minuteMs), 'minute');
  if (Math.abs(count(hourMs)) < 24) return format.format(count(hourMs), 'hour');
  return format.format(count(dayMs), 'day');
}
