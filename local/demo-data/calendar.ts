/** The days of the demo data, in UTC. */

import { dayMs } from '#lambdas/platform/duration.ts';

/** Such as `2026-11-23`. */
export function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function startOfDay(ms: number): number {
  return Math.floor(ms / dayMs) * dayMs;
}

export const weekdays = { sunday: 0, tuesday: 2, wednesday: 3, thursday: 4, saturday: 6 } as const;

function weekdayOf(ms: number): number {
  return new Date(ms).getUTCDay();
}

export function isWeekend(ms: number): boolean {
  return weekdayOf(ms) === weekdays.saturday || weekdayOf(ms) === weekdays.sunday;
}

/** The start of the last day with this name before the day of the given time. */
export function lastWeekdayBefore(ms: number, weekday: number): number {
  const day = startOfDay(ms);
  const daysAgo = (weekdayOf(day) - weekday + 7) % 7 || 7;
  return day - daysAgo * dayMs;
}
