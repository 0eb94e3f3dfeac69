/** The labels of a time axis: those of periods, and below them the larger unit where it changes. */

import { dateFormat } from '#dashboard/components/values/locale.ts';
import { zoneClock } from '#dashboard/range/zone.ts';
import type { Interval } from '#lambdas/accounts/analytics/responses.ts';
import { dayMs } from '#lambdas/platform/duration.ts';

export interface Tick {
  /** The index of the period that the label belongs to. */
  index: number;
  text: string;
}

export interface TimeTicks {
  ticks: Tick[];
  /** Such as the month and year below days. */
  groups: Tick[];
}

type Unit = Interval | 'year';

const multiples: Record<Unit, readonly number[]> = {
  minute: [1, 2, 5, 10, 15, 30],
  hour: [1, 2, 3, 6, 12],
  day: [1, 2, 3, 5, 7, 14],
  month: [1, 2, 3, 6],
  year: [1, 2, 5, 10, 20],
};

const units = Object.keys(multiples) as Unit[];

/** Approximate: of the font of the labels. */
export function textWidth(text: string): number {
  return text.length * 6.4;
}

const minGap = 10;

interface TimeAxis {
  /** The starts of the periods. */
  times: readonly LocalTime[];
  interval: Interval;
  /** The distance of periods, in pixels. */
  step: number;
  timeZone: string;
  locale?: Intl.LocalesArgument;
}

/** Returns as many labels as fit. */
export function timeTicks(axis: TimeAxis): TimeTicks {
  let ticks: Tick[] = [];
  for (const unit of units.slice(units.indexOf(axis.interval))) {
    const format = tickFormat(unit, axis);
    for (const every of multiples[unit]) {
      ticks = ticksEvery(every, unit, axis).map((index) => ({ index, text: format(timeAt(axis, index)) }));
      if (ticks.length > 0 && haveSpace(ticks, axis.step))
        return { ticks, groups: groupTicks(ticks, unit, axis) };
    }
  }
  return { ticks: ticks.slice(0, 1), groups: [] };
}

function ticksEvery(every: number, unit: Unit, { times, interval }: TimeAxis): number[] {
  const last = times.at(-1);
  const indexes: number[] = [];
  for (const [index, time] of times.entries()) {
    const isAligned = last !== undefined && (positionOf(time, unit) - originOf(last, unit)) % every === 0;
    if (isAligned && begins(unit, time, times[index - 1], interval)) indexes.push(index);
  }
  return indexes;
}

/** The number of the unit, which counts from a round one, so that labels are such as 0:00, 6:00 and 12:00. */
function positionOf(time: LocalTime, unit: Unit): number {
  switch (unit) {
    case 'minute':
      return time.minute;
    case 'hour':
      return time.hour;
    case 'day':
      return dayNumber(time);
    case 'month':
      return time.month - 1;
    case 'year':
      return time.year;
    default:
      return unit satisfies never;
  }
}

/** Days have no round numbers: they count from the last one. */
function originOf(last: LocalTime, unit: Unit): number {
  return unit === 'day' ? dayNumber(last) : 0;
}

function begins(unit: Unit, time: LocalTime, previous: LocalTime | undefined, interval: Interval): boolean {
  if (unit === interval) return true;
  if (previous !== undefined) return startOf(unit, previous) !== startOf(unit, time);
  const { month, day, hour, minute } = time;
  const rest = {
    minute: 0,
    hour: minute,
    day: hour + minute,
    month: day - 1 + hour,
    year: month - 1 + day - 1,
  };
  return rest[unit] === 0;
}

/** Tells units apart. */
function startOf(unit: Unit, time: LocalTime): number {
  if (unit === 'year') return time.year;
  if (unit === 'month') return time.year * 12 + time.month;
  if (unit === 'day') return dayNumber(time);
  return dayNumber(time) * 24 + time.hour;
}

function haveSpace(ticks: readonly Tick[], step: number): boolean {
  const widest = Math.max(...ticks.map(({ text }) => textWidth(text)));
  return ticks.every(
    ({ index }, position) =>
      position === 0 || (index - (ticks[position - 1]?.index ?? 0)) * step >= widest + minGap,
  );
}

function groupTicks(ticks: readonly Tick[], unit: Unit, axis: TimeAxis): Tick[] {
  const outer = outerUnit(unit);
  if (outer === null) return [];
  const firsts = ticks.filter(({ index }, position) => {
    const previous = ticks[position - 1];
    return (
      previous === undefined ||
      startOf(outer, timeAt(axis, previous.index)) !== startOf(outer, timeAt(axis, index))
    );
  });
  // A short first group gives way to the next one.
  const kept = firsts.filter(({ index }, position) => {
    const next = firsts[position + 1];
    const width = textWidth(groupText(outer, true, timeAt(axis, index), axis));
    return next === undefined || (next.index - index) * axis.step >= width + minGap;
  });
  return kept.map(({ index }, position) => {
    const previous = kept[position - 1];
    const time = timeAt(axis, index);
    const withYear = previous === undefined || timeAt(axis, previous.index).year !== time.year;
    return { index, text: groupText(outer, withYear, time, axis) };
  });
}

function outerUnit(unit: Unit): 'day' | 'month' | 'year' | null {
  if (unit === 'year') return null;
  if (unit === 'month') return 'year';
  return unit === 'day' ? 'month' : 'day';
}

function groupText(
  unit: 'day' | 'month' | 'year',
  withYear: boolean,
  { time }: LocalTime,
  axis: TimeAxis,
): string {
  const fields: Record<typeof unit, Intl.DateTimeFormatOptions> = {
    day: { month: 'short', day: 'numeric' },
    month: { month: 'short', ...(withYear && { year: 'numeric' }) },
    year: { year: 'numeric' },
  };
  return dateFormat({ ...fields[unit], timeZone: axis.timeZone }, axis.locale).format(time);
}

/** The distance of days, in pixels, from which the weekday is part of the label. */
const minWeekdayStep = 64;

function tickFormat(unit: Unit, { interval, step, locale, timeZone }: TimeAxis): (time: LocalTime) => string {
  const format = (options: Intl.DateTimeFormatOptions) => dateFormat({ ...options, timeZone }, locale);
  const clock = format({ timeStyle: 'short' });
  if (unit === 'minute') return ({ time }) => clock.format(time);
  if (unit === 'hour') {
    const hour = format({ hour: 'numeric' });
    const { hour12 } = hour.resolvedOptions();
    // Such as 2 PM. In some time zones, hours of UTC begin at half past.
    return ({ time, minute }) => (hour12 && minute === 0 ? hour : clock).format(time);
  }
  const withWeekday = interval === 'day' && step >= minWeekdayStep;
  const fields: Record<typeof unit, Intl.DateTimeFormatOptions> = {
    day: { day: 'numeric', ...(withWeekday && { weekday: 'short' }) },
    month: { month: 'short' },
    year: { year: 'numeric' },
  };
  const date = format(fields[unit]);
  return ({ time }) => date.format(time);
}

function timeAt({ times }: TimeAxis, index: number): LocalTime {
  const time = times[index];
  if (time === undefined) throw new RangeError(`No period ${index}`);
  return time;
}

/** The fields of a clock and calendar in a time zone; months from 1. */
interface LocalTime {
  time: Date;
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

export function localTimes(times: readonly string[], timeZone: string): LocalTime[] {
  const clock = zoneClock(timeZone);
  return times.map((text) => {
    const time = new Date(text);
    const local = clock(time);
    return {
      time,
      year: local.getUTCFullYear(),
      month: local.getUTCMonth() + 1,
      day: local.getUTCDate(),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
    };
  });
}

/** Counts local days. */
function dayNumber({ year, month, day }: LocalTime): number {
  return Date.UTC(year, month - 1, day) / dayMs;
}
