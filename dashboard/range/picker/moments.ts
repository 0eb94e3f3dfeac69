/** The beginning and the end of a range as they are typed: dates and times of the range's zone, to the minute. */

import { minuteMs } from '#lambdas/platform/duration.ts';
import { addDays, type Range, rangeInstants } from '../range.ts';
import { instantOfClock, zoneClock } from '../zone.ts';
import type { DateSpan } from './calendar.tsx';

/** Such as `2026-11-23T14:30`, as `<input type="datetime-local">` has them; empty where something is missing. */
export interface Moments {
  from: string;
  /** The first moment after the range. */
  to: string;
}

/** A range up to the present ends with its minute. */
export function momentsOf({ bounds, timeZone }: Range, now: Date): Moments {
  const { start, end } = rangeInstants(bounds, now, timeZone);
  const clock = zoneClock(timeZone);
  const roundedUp = new Date(Math.ceil(end.getTime() / minuteMs) * minuteMs);
  return { from: momentText(clock(start)), to: momentText(clock(roundedUp)) };
}

export function momentsOfDays({ first, last }: DateSpan): Moments {
  return { from: `${first}T00:00`, to: `${addDays(last ?? first, 1)}T00:00` };
}

/** Returns the days of which the range contains a part. */
export function daysOf({ from, to }: Moments): { first: string; last: string } {
  const lastMinute = new Date(shownTime(to).getTime() - minuteMs);
  return { first: from.slice(0, 10), last: momentText(lastMinute).slice(0, 10) };
}

/** Dates for whole days, otherwise instants. Null unless the end is after the beginning. */
export function boundsOf(moments: Moments, timeZone: string): { start: string; end: string } | null {
  const { from, to } = moments;
  // Their texts are in the order of time; clocks that are set back can show the same time again.
  if (from === '' || to === '' || from >= to) return null;
  if ([from, to].every((text) => text.endsWith('T00:00')))
    return { start: from.slice(0, 10), end: to.slice(0, 10) };
  const [start, end] = [from, to].map((text) => instantOfClock(shownTime(text), timeZone).toISOString());
  return start === undefined || end === undefined || start >= end ? null : { start, end };
}

function shownTime(text: string): Date {
  return new Date(`${text}:00Z`);
}

function momentText(shown: Date): string {
  return shown.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}
