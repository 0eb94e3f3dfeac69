/** The earlier time that the figures of a range are compared with. */

import type { SecondRange, TimeBounds } from '#dashboard/api/analytics.ts';
import { dateFormat } from '#dashboard/components/values/locale.ts';
import type { CostWindow } from '#lambdas/accounts/analytics/responses.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { localDate, type PresetName, type Range, rangeInstants, resolveRange } from './range.ts';
import { instantOfClock, zoneClock } from './zone.ts';

export const calendarUnits = ['day', 'week', 'month', 'year'] as const;

/** Back by one of these, the same days and hours are another range. */
type CalendarUnit = (typeof calendarUnits)[number];

interface CalendarComparison {
  unit: CalendarUnit;
  /** Completes "compared with". */
  title: string;
}

/** By the presets that are a day, a week or a month of the calendar, or the part of it up to the present. */
const calendarComparisons: Partial<Record<PresetName, CalendarComparison>> = {
  today: { unit: 'day', title: 'the same hours of yesterday' },
  yesterday: { unit: 'day', title: 'the day before' },
  week: { unit: 'week', title: 'the same days and hours of last week' },
  'last-week': { unit: 'week', title: 'the week before' },
  month: { unit: 'month', title: 'the same days and hours of last month' },
  'last-month': { unit: 'month', title: 'the month before' },
};

interface Comparison {
  /** As in the link of a view that compares. */
  choice: CalendarUnit | 'previous';
  /** Completes "compared with". */
  title: string;
  /** Null for as much time before the range, which the API knows by itself. */
  secondRange: SecondRange | null;
}

/** Returns what figures of the range are compared with by themselves. */
export function comparisonOf(range: Range): Comparison {
  const calendar = range.preset === null ? undefined : calendarComparisons[range.preset];
  if (calendar === undefined) {
    return { choice: 'previous', title: 'as much time before', secondRange: null };
  }
  const { unit, title } = calendar;
  return { choice: unit, title, secondRange: earlierRange(range, unit) };
}

type Bounds = Pick<CostWindow, 'start' | 'end'>;

/** Returns the title of a report's window, such as "16 Nov 2026, 00:00 – 19 Nov 2026, 06:37". */
export function windowTitle(
  { start, end }: Bounds,
  timeZone: string,
  now = new Date(),
  locale?: Intl.LocalesArgument,
): string {
  const bounds = { start: start ?? undefined, end: end ?? now.toISOString(), time_zone: timeZone };
  return resolveRange(bounds, now, locale).title;
}

const dateFields = { day: 'numeric', month: 'short' } as const;
const timeFields = { hour: '2-digit', minute: '2-digit' } as const;

/**
 * Returns short titles of two windows, such as "16 – 19 Nov", with years if there are several, and with times if the days are
 * the same; `null` if nothing tells them apart, or one has no beginning.
 */
export function shortWindowTitles(
  windows: readonly [Bounds, Bounds],
  timeZone: string,
  now = new Date(),
  locale?: Intl.LocalesArgument,
): [string, string] | null {
  const [first, second] = windows.map(({ start, end }) => {
    if (start === null) return null;
    const after = end === null ? now : new Date(end);
    // A window of whole days ends with the last of them.
    return { from: new Date(start), after, last: new Date(Math.max(Date.parse(start), after.getTime() - 1)) };
  });
  if (!first || !second) return null;
  const years = [first.from, first.last, second.from, second.last].map((time) =>
    localDate(time, timeZone).slice(0, 4),
  );
  const fields = { ...dateFields, ...(new Set(years).size > 1 && { year: 'numeric' as const }), timeZone };
  const ofDays = dateFormat(fields, locale);
  const days = [first, second].map(({ from, last }) => ofDays.formatRange(from, last));
  const ofTimes = dateFormat({ ...fields, ...timeFields }, locale);
  const times = [first, second].map(({ from, after }) => ofTimes.formatRange(from, after));
  const [one, other] = days[0] === days[1] ? times : days;
  return one === undefined || other === undefined || one === other ? null : [one, other];
}

/** Returns text such as "Only 4 of 26 days of the earlier range have data."; `null` if all have. */
export function missingDaysText({
  with_requests: found,
  total,
}: {
  with_requests: number;
  total: number;
}): string | null {
  if (found >= total) return null;
  if (total === 1) return 'The day of the earlier range has no data.';
  const days = found === 0 ? `None of the ${total} days` : `Only ${found} of ${total} days`;
  return `${days} of the earlier range ${found === 1 ? 'has' : 'have'} data.`;
}

/** Its bounds are read with every report: the present, where a range may end, moves on. */
export function earlierRange({ bounds, timeZone }: Range, unit: CalendarUnit): SecondRange {
  return { name: unit, boundsAt: (now) => earlierBounds(bounds, unit, now, timeZone) };
}

/**
 * Returns the same days and hours of the zone one unit earlier, such as the month before up to the same day and hour. A month
 * that does not have the day ends there, and begins on its last day.
 */
export function earlierBounds(
  bounds: TimeBounds,
  unit: CalendarUnit,
  now: Date,
  timeZone: string,
): { start: string; end: string } {
  const clock = zoneClock(timeZone);
  const { start, end } = rangeInstants(bounds, now, timeZone);
  const wholeMinute = new Date(Math.floor(end.getTime() / minuteMs) * minuteMs);
  const earlier = (shown: Date) => instantOfClock(shown, timeZone).toISOString();
  return {
    start: earlier(shiftBack(clock(start), unit, 'last day')),
    end: earlier(shiftBack(clock(wholeMinute), unit, 'month end')),
  };
}

/** @param missing what stands for a day that the earlier month does not have */
function shiftBack(shown: Date, unit: CalendarUnit, missing: 'last day' | 'month end'): Date {
  const shifted = new Date(shown);
  if (unit === 'day' || unit === 'week') {
    shifted.setUTCDate(shown.getUTCDate() - (unit === 'day' ? 1 : 7));
    return shifted;
  }
  const [year, month] = [shown.getUTCFullYear(), shown.getUTCMonth() - (unit === 'month' ? 1 : 12)];
  const daysOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  if (shown.getUTCDate() <= daysOfMonth) shifted.setUTCFullYear(year, month, shown.getUTCDate());
  else if (missing === 'last day') shifted.setUTCFullYear(year, month, daysOfMonth);
  else return new Date(Date.UTC(year, month + 1, 1));
  return shifted;
}
