import { dayMs } from '#lambdas/platform/duration.ts';

/** The fields of a clock and calendar in a time zone; months from 1. */
export interface LocalTime {
  time: Date;
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

export function localTimes(times: readonly string[], timeZone: string): LocalTime[] {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return times.map((text) => {
    const time = new Date(text);
    const fields = { time, year: 0, month: 0, day: 0, hour: 0, minute: 0 };
    for (const { type, value } of format.formatToParts(time)) {
      if (isField(type)) fields[type] = Number(value);
    }
    return fields;
  });
}

function isField(type: string): type is Exclude<keyof LocalTime, 'time'> {
  return ['year', 'month', 'day', 'hour', 'minute'].includes(type);
}

/** Counts local days. */
export function dayNumber({ year, month, day }: LocalTime): number {
  return Date.UTC(year, month - 1, day) / dayMs;
}
