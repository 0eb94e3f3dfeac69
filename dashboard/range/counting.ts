/** Up to when figures are complete: requests are counted about a second after they end, unless counting is delayed. */

import { dateFormat } from '#dashboard/components/values/locale.ts';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { dayMs, hourMs, minuteMs } from '#lambdas/platform/duration.ts';

interface CountedReport {
  /** `complete_until` of the report. */
  completeUntil: string;
  /** When the report was fetched, in milliseconds since 1970, by the server's clock. */
  fetchedAtMs: number;
}

interface Counting {
  completeUntil: Date;
  /** Null up to a minute. */
  lagMs: number | null;
}

const maxUnremarkableLagMs = minuteMs;

/** Returns the state of the report that is the furthest behind; `null` without reports. */
export function countingOf(reports: readonly CountedReport[]): Counting | null {
  if (reports.length === 0) return null;
  const completeUntilMs = Math.min(...reports.map(({ completeUntil }) => Date.parse(completeUntil)));
  const lagMs = Math.max(...reports.map((report) => report.fetchedAtMs - Date.parse(report.completeUntil)));
  return { completeUntil: new Date(completeUntilMs), lagMs: lagMs > maxUnremarkableLagMs ? lagMs : null };
}

interface TextOptions {
  timeZone: string;
  now: Date;
  locale?: Intl.LocalesArgument;
}

/** Returns text such as "Complete up to 12:03:20 UTC". */
export function completeText({ completeUntil }: Counting, options: TextOptions): string {
  return `Complete up to ${formatClock(completeUntil, options, { second: '2-digit', timeZoneName: 'short' })}`;
}

/** Returns text such as "Counting lags by 4 minutes: requests after 12:03 may be missing". */
export function lagText(completeUntil: Date, lagMs: number, options: TextOptions): string {
  const time = formatClock(completeUntil, options, {});
  return `Counting lags by ${formatLag(lagMs, options.locale)}: requests after ${time} may be missing`;
}

/** With the date unless it is today. */
function formatClock(
  time: Date,
  { timeZone, now, locale }: TextOptions,
  precision: Intl.DateTimeFormatOptions,
): string {
  const date = dateFormat({ dateStyle: 'medium', timeZone }, locale);
  const isToday = date.format(time) === date.format(now);
  const fields: Intl.DateTimeFormatOptions = {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    ...(!isToday && { day: 'numeric', month: 'short' }),
    ...precision,
  };
  return dateFormat(fields, locale).format(time);
}

/** Rounded down, in one unit. */
function formatLag(lagMs: number, locale: Intl.LocalesArgument): string {
  const [unit, sizeMs] =
    lagMs < 2 * hourMs ? ['minute', minuteMs] : lagMs < 2 * dayMs ? ['hour', hourMs] : ['day', dayMs];
  const count = Math.floor(lagMs / Number(sizeMs));
  return `${formatCount(count, locale)} ${unit}${count === 1 ? '' : 's'}`;
}
