/** Days and months of a time zone, whose bounds need not be those of UTC days and months. */

import * as Instant from 'temporal-polyfill/fns/Instant';
import * as PlainDate from 'temporal-polyfill/fns/PlainDate';
import { dayMs } from '#lambdas/platform/duration.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import {
  countPeriods,
  endOfPeriod,
  type Period,
  periodLengthMs,
  startOfPeriod,
} from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';

/** The periods whose bounds depend on the time zone. */
export type LocalInterval = 'day' | 'month';

/**
 * Timestamps are whole milliseconds since 1970. Minutes and hours are those of UTC.
 *
 * A local day or month begins at the first instant of its first date, and ends where the next one begins. So the days
 * around changes of the clock are shorter or longer than 24 hours, a date that the time zone skipped has no day, and when
 * clocks are set back from shortly after midnight, the repeated minutes before midnight belong to the new day. Midnights
 * within a minute (until 1972, in Liberia) are rounded down to the minute, since no sums are finer.
 */
export interface Calendar {
  /** The start of a date, which is given by its midnight in UTC; of the next date if the time zone skipped it. */
  startOfDate(dateMs: number): number;
  startOf(interval: Period, timestampMs: number): number;
  /** Exclusive. */
  endOf(interval: Period, timestampMs: number): number;
  /** The start of the day or month that is `count` days or months after the one which contains the time; before, if negative. */
  shift(interval: LocalInterval, timestampMs: number, count: number): number;
  /** The number of periods that overlap the window. Takes as long for all time as for a day. */
  count(interval: Period, window: TimeWindow): number;
  /** The same calendar for sums that exist only by the hour: its days and months begin at the full hour before local midnight. */
  atFullHours(): Calendar;
  /**
   * Whether a day or month begins inside an hour of the window, which may contain only the hour's start or end. If not,
   * `atFullHours` divides the window in the same way. Visits every day or month of the window.
   */
  splitsHours(interval: LocalInterval, window: TimeWindow): boolean;
}

/** A local date is represented by its midnight in UTC, in milliseconds since 1970. */
interface TimeZone {
  dateOf(timestampMs: number): number;
  /** The first instant of the date, or of the next one if the time zone skipped the date. */
  startOfDate(dateMs: number): number;
}

const utc: TimeZone = {
  dateOf: (timestampMs) => startOfPeriod('day', timestampMs),
  startOfDate: (dateMs) => dateMs,
};

const utcCalendar = calendarOf(utc, 'minute');

/** Accepts the names and aliases of the IANA time zone database in any case. Throws a `GatewayError` (400) for others. */
export function createCalendar(timeZone: string): Calendar {
  return timeZone === 'UTC' ? utcCalendar : calendarOf(ianaTimeZone(timeZone), 'minute');
}

/** The characters of IANA names. Offsets such as `+02:00` and timestamps, which Temporal accepts too, do not match. */
const ianaName = /^[a-z][a-z0-9_+/-]*$/i;

function ianaTimeZone(name: string): TimeZone {
  const zone: TimeZone = {
    dateOf(timestampMs) {
      const { year, month, day } = Instant.toZonedDateTimeISO(
        Instant.fromEpochMilliseconds(timestampMs),
        name,
      );
      return Date.UTC(year, month - 1, day);
    },
    startOfDate(dateMs) {
      const date = new Date(dateMs);
      const plainDate = PlainDate.create(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
      return PlainDate.toZonedDateTime(plainDate, name).epochMilliseconds;
    },
  };
  try {
    if (!ianaName.test(name)) throw new RangeError(`not an IANA name: ${name}`);
    zone.dateOf(0);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalidRequestError('time_zone', 'time_zone must be an IANA time zone, such as Europe/Berlin');
  }
  return zone;
}

function calendarOf(zone: TimeZone, precision: 'minute' | 'hour'): Calendar {
  const startOfDate = (dateMs: number) => startOfPeriod(precision, zone.startOfDate(dateMs));

  /** The first date of the day or month that contains the time. */
  function firstDateOf(interval: LocalInterval, timestampMs: number): number {
    let dateMs = startOfPeriod(interval, zone.dateOf(timestampMs));
    let nextMs = endOfPeriod(interval, dateMs);
    // The next day has already begun if its start was rounded down, or if clocks were set back after midnight.
    while (startOfDate(nextMs) <= timestampMs) {
      dateMs = nextMs;
      nextMs = endOfPeriod(interval, dateMs);
    }
    return dateMs;
  }

  const calendar: Calendar = {
    startOfDate,
    startOf(interval, timestampMs) {
      return isLocal(interval)
        ? startOfDate(firstDateOf(interval, timestampMs))
        : startOfPeriod(interval, timestampMs);
    },
    endOf(interval, timestampMs) {
      return isLocal(interval)
        ? startOfDate(endOfPeriod(interval, firstDateOf(interval, timestampMs)))
        : endOfPeriod(interval, timestampMs);
    },
    shift(interval, timestampMs, count) {
      const dateMs = firstDateOf(interval, timestampMs);
      if (interval === 'month') return startOfDate(addMonths(dateMs, count));
      const shiftedMs = dateMs + count * dayMs;
      const skippedDates = count - countDays(startOfDate(dateMs), startOfDate(shiftedMs));
      return startOfDate(shiftedMs + skippedDates * dayMs);
    },
    count(interval, { startMs, endMs }) {
      if (startMs >= endMs) return 0;
      if (interval === 'month') {
        const lastMs = firstDateOf(interval, endMs - 1);
        return countPeriods(interval, { startMs: firstDateOf(interval, startMs), endMs: lastMs }) + 1;
      }
      const fromMs = calendar.startOf(interval, startMs);
      const toMs = calendar.endOf(interval, endMs - 1);
      return interval === 'day' ? countDays(fromMs, toMs) : (toMs - fromMs) / periodLengthMs[interval];
    },
    atFullHours() {
      return calendarOf(zone, 'hour');
    },
    splitsHours(interval, { startMs, endMs }) {
      for (
        let boundaryMs = calendar.endOf(interval, startMs - 1);
        startOfPeriod('hour', boundaryMs) < endMs;
        boundaryMs = calendar.endOf(interval, boundaryMs)
      ) {
        if (startOfPeriod('hour', boundaryMs) !== boundaryMs) return true;
      }
      return false;
    },
  };
  return calendar;
}

export function isLocal(interval: Period): interval is LocalInterval {
  return interval === 'day' || interval === 'month';
}

/**
 * The number of days between the starts of two days; negative if the second is earlier. Elapsed time does not count skipped
 * dates, and otherwise changes of the clock add up to less than twelve hours.
 */
function countDays(fromMs: number, toMs: number): number {
  return Math.round((toMs - fromMs) / dayMs);
}

function addMonths(dateMs: number, count: number): number {
  const date = new Date(dateMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count);
}
