import { dateFormat } from '#dashboard/components/values/locale.ts';
import type { Interval } from '#lambdas/accounts/analytics/responses.ts';
import type { ChartPeriod } from './chart.ts';

type Locale = Intl.LocalesArgument;

/** Returns text such as "Fri, Nov 6, 2026" or "Nov 6, 2026, 2:00 – 3:00 PM UTC". */
export function periodTitle(
  period: ChartPeriod,
  interval: Interval,
  timeZone: string,
  locale?: Locale,
): string {
  return windowTitle(period, period, interval, timeZone, locale);
}

/** Returns the title of the time from the first period to the last one, which is that of the period if they are the same. */
export function windowTitle(
  first: ChartPeriod,
  last: ChartPeriod,
  interval: Interval,
  timeZone: string,
  locale?: Locale,
): string {
  const format = dateFormat({ ...fieldsOf(interval), timeZone }, locale);
  const start = new Date(first.start);
  // A clock shows the end, a calendar the last day or month.
  if (interval === 'hour' || (interval === 'minute' && first !== last))
    return format.formatRange(start, new Date(last.end));
  return format.formatRange(start, new Date(last.start));
}

function fieldsOf(interval: Interval): Intl.DateTimeFormatOptions {
  if (interval === 'month') return { year: 'numeric', month: 'long' };
  if (interval === 'day') return { year: 'numeric', month: 'short', day: 'numeric', weekday: 'short' };
  // The zone's name tells the repeated hour from the first when clocks are set back.
  return {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  };
}

const unitNames: Record<Interval, string> = {
  minute: 'Minutes',
  hour: 'Hours',
  day: 'Days',
  month: 'Months',
};

/** Returns text such as "Days in Europe/Berlin". */
export function zoneTitle(interval: Interval, timeZone: string): string {
  return `${unitNames[interval]} in ${timeZone.replaceAll('_', ' ')}`;
}
