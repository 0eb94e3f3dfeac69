import { describe, expect, it } from 'vitest';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { endOfPeriod, startOfPeriod } from '#lambdas/platform/period.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { type Calendar, createCalendar, type LocalInterval } from '#lambdas/reports/costs/calendar.ts';
import { fc } from '#test/support/fast-check.ts';
import { clockChanges, localBoundary } from './support/local-boundaries.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const at = (text: string) => Date.parse(text);
const iso = (timestampMs: number) => new Date(timestampMs).toISOString();
const window = (start: string, end: string): TimeWindow => ({ startMs: at(start), endMs: at(end) });

/** The bounds of the periods that overlap the window. */
function boundaries(calendar: Calendar, interval: LocalInterval, { startMs, endMs }: TimeWindow): number[] {
  const found = [calendar.startOf(interval, startMs)];
  for (let last = found[0] ?? 0; last < endMs; found.push(last)) last = calendar.endOf(interval, last);
  return found;
}

const localTime = fc.record({
  interval: fc.constantFrom<LocalInterval>('day', 'month'),
  change: fc.constantFrom(...clockChanges),
  offsetMs: fc.oneof(
    fc.integer({ min: -2 * minuteMs, max: 2 * minuteMs }),
    fc.integer({ min: -3 * dayMs, max: 3 * dayMs }),
  ),
});

describe('createCalendar', () => {
  it.each([
    'Europe/Berlin',
    'europe/berlin',
    'Asia/Calcutta',
    'Asia/Kolkata',
    'UTC',
    'utc',
    'Etc/GMT+5',
    'America/Argentina/Buenos_Aires',
    'America/Port-au-Prince',
    'EST5EDT',
  ])('accepts %s', (timeZone) => {
    expect(() => createCalendar(timeZone)).not.toThrow();
  });

  it.each([
    '',
    '+02:00',
    '-0230',
    '−02:00',
    'Z',
    'UTC+2',
    'Europe',
    'Europe/Bonn',
    // Abbreviations that Node maps to one of the several time zones that use them.
    'PST',
    'IST',
    'Etc/Unknown',
    ' UTC',
    'Europe/Berlin ',
    'Europe/Berlin[u-ca=iso8601]',
    '2026-01-31T09:30:00[Europe/Berlin]',
    'T0930Z',
    'constructor',
    '../Berlin',
  ])('rejects "%s"', (timeZone) => {
    const error = new GatewayError('invalid_request_error', {
      param: 'time_zone',
      message: 'time_zone must be an IANA time zone, such as Europe/Berlin',
    });
    expect(() => createCalendar(timeZone)).toThrow(error);
  });
});

describe('Calendar', () => {
  it.each([
    // The clock changes during the day.
    ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 25],
    ['Australia/Lord_Howe', '2026-10-04T00:00:00Z', '2026-10-03T13:30:00Z', '2026-10-04T13:00:00Z', 23.5],
    ['Australia/Lord_Howe', '2026-04-05T00:00:00Z', '2026-04-04T13:00:00Z', '2026-04-05T13:30:00Z', 24.5],
    ['Asia/Kathmandu', '2026-01-31T12:00:00Z', '2026-01-30T18:15:00Z', '2026-01-31T18:15:00Z', 24],
    // The day begins at 01:00.
    ['America/Havana', '2026-03-08T12:00:00Z', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z', 23],
    // It begins at the first of two midnights.
    ['America/Havana', '2026-11-01T12:00:00Z', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z', 25],
    // One minute after midnight, the clock is set back to 23:01 of the day before.
    ['America/St_Johns', '2000-10-29T03:00:00Z', '2000-10-29T02:30:00Z', '2000-10-30T03:30:00Z', 25],
    // The time zone skips 30 December.
    ['Pacific/Apia', '2011-12-30T09:00:00Z', '2011-12-29T10:00:00Z', '2011-12-30T10:00:00Z', 24],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-30T10:00:00Z', '2011-12-31T10:00:00Z', 24],
    // Midnight is at 00:44:30 in UTC.
    ['Africa/Monrovia', '1970-01-01T00:44:00Z', '1970-01-01T00:44:00Z', '1970-01-02T00:44:00Z', 24],
    ['Africa/Monrovia', '1970-01-01T00:43:59.999Z', '1969-12-31T00:44:00Z', '1970-01-01T00:44:00Z', 24],
  ])('finds the day of %s that contains %s', (timeZone, time, start, end, hours) => {
    const calendar = createCalendar(timeZone);
    expect(calendar.startOf('day', at(time))).toBe(at(start));
    expect(calendar.endOf('day', at(time))).toBe(at(end));
    expect(at(end) - at(start)).toBe(hours * hourMs);
  });

  it('finds the days and months that single instants of Intl.DateTimeFormat belong to', () => {
    fc.assert(
      fc.property(localTime, ({ interval, change: { timeZone, time }, offsetMs }) => {
        const timestampMs = at(time) + offsetMs;
        const calendar = createCalendar(timeZone);
        const utcStartMs = startOfPeriod(interval, timestampMs);
        const dates = [utcStartMs];
        for (const _ of [1, 2]) {
          dates.unshift(startOfPeriod(interval, (dates[0] ?? 0) - 1));
          dates.push(endOfPeriod(interval, dates.at(-1) ?? 0));
        }
        const expected = dates.map((dateMs) => localBoundary(timeZone, dateMs));

        for (const [of, roundMs] of [
          [calendar, minuteMs],
          [calendar.atFullHours(), hourMs],
        ] as const) {
          const rounded = expected.map((boundaryMs) => Math.floor(boundaryMs / roundMs) * roundMs);
          expect(iso(of.startOf(interval, timestampMs))).toBe(
            iso(Math.max(...rounded.filter((boundaryMs) => boundaryMs <= timestampMs))),
          );
          expect(iso(of.endOf(interval, timestampMs))).toBe(
            iso(Math.min(...rounded.filter((boundaryMs) => boundaryMs > timestampMs))),
          );
        }
      }),
    );
  });

  it('counts and shifts days and months as if it listed them', () => {
    fc.assert(
      fc.property(
        localTime,
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        ({ interval, change: { timeZone, time }, offsetMs }, length, isRounded) => {
          const exact = createCalendar(timeZone);
          const calendar = isRounded ? exact.atFullHours() : exact;
          const startMs = at(time) + offsetMs;
          const listed = boundaries(calendar, interval, { startMs, endMs: startMs + length * dayMs });
          const [firstMs = 0, lastMs = 0] = [listed[0], listed.at(-1)];
          const count = listed.length - 1;

          expect(calendar.count(interval, { startMs, endMs: startMs + length * dayMs })).toBe(count);
          expect(calendar.shift(interval, firstMs, count)).toBe(lastMs);
          expect(calendar.shift(interval, lastMs, -count)).toBe(firstMs);
        },
      ),
    );
  });

  it('covers all time in every time zone', () => {
    const times = [allTime.startMs, at('2026-02-01T00:00:00Z'), allTime.endMs - 1, allTime.endMs];
    for (const timeZone of ['UTC', ...Intl.supportedValuesOf('timeZone')]) {
      const calendar = createCalendar(timeZone);
      for (const timestampMs of times) {
        const startMs = calendar.startOf('month', timestampMs);
        const endMs = calendar.endOf('day', timestampMs);
        const isBetween = startMs <= timestampMs && timestampMs < endMs;
        expect([timeZone, isBetween]).toEqual([timeZone, true]);
        expect([startMs, endMs]).toEqual([startMs, endMs].map((each) => startOfPeriod('minute', each)));
        expect(startMs).toBe(localBoundary(timeZone, startOfPeriod('month', startMs + 15 * dayMs)));
      }
    }
  });

  it('has the minutes and hours of UTC in every time zone', () => {
    const calendar = createCalendar('Asia/Kolkata');
    const timestampMs = at('2026-01-31T18:29:15.500Z');

    expect(iso(calendar.startOf('hour', timestampMs))).toBe('2026-01-31T18:00:00.000Z');
    expect(iso(calendar.endOf('minute', timestampMs))).toBe('2026-01-31T18:30:00.000Z');
    expect(calendar.count('minute', allTime)).toBe((allTime.endMs - allTime.startMs) / minuteMs);
    expect(calendar.count('hour', window('2026-01-31T18:59:00Z', '2026-01-31T20:01:00Z'))).toBe(3);
    expect(calendar.count('hour', window('2026-01-31T18:59:00Z', '2026-01-31T18:59:00Z'))).toBe(0);
  });

  it('counts the days and months of all time', () => {
    // The first and last days and months are cut, except in UTC.
    expect(createCalendar('UTC').count('day', allTime)).toBe(2_932_866);
    expect(createCalendar('Europe/Berlin').count('day', allTime)).toBe(2_932_867);
    expect(createCalendar('UTC').count('month', allTime)).toBe(8030 * 12 - 1);
    expect(createCalendar('Pacific/Apia').count('month', allTime)).toBe(8030 * 12 + 1);
  });

  it('does not count a date that the time zone skipped', () => {
    const calendar = createCalendar('Pacific/Apia');
    const newYear = calendar.startOf('day', at('2012-01-01T00:00:00Z'));

    expect(iso(calendar.shift('day', newYear, -1))).toBe('2011-12-30T10:00:00.000Z');
    expect(iso(calendar.shift('day', newYear, -2))).toBe('2011-12-29T10:00:00.000Z');
    expect(calendar.count('month', { startMs: newYear - 30 * dayMs, endMs: newYear })).toBe(1);
  });

  it('begins days at the full hour before local midnight if rounded to hours', () => {
    const rounded = createCalendar('Asia/Kolkata').atFullHours();

    expect(iso(rounded.startOf('day', at('2026-01-31T18:00:00Z')))).toBe('2026-01-31T18:00:00.000Z');
    expect(iso(rounded.endOf('day', at('2026-01-31T18:15:00Z')))).toBe('2026-02-01T18:00:00.000Z');
    expect(iso(rounded.startOf('month', at('2026-01-31T18:15:00Z')))).toBe('2026-01-31T18:00:00.000Z');
    expect(iso(rounded.shift('month', at('2026-01-31T18:00:00Z'), -1))).toBe('2025-12-31T18:00:00.000Z');
  });

  it.each([
    ['Asia/Kolkata', 'day', '2026-01-31T00:00:00Z', '2026-02-02T00:00:00Z', true],
    ['Europe/Berlin', 'day', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', false],
    ['UTC', 'month', '1970-01-01T00:00:00Z', '9999-12-01T00:00:00Z', false],
    // Only the half year of standard time has days that begin inside an hour.
    ['Australia/Lord_Howe', 'day', '2026-01-01T00:00:00Z', '2026-04-05T13:00:00Z', false],
    ['Australia/Lord_Howe', 'day', '2026-01-01T00:00:00Z', '2026-04-05T13:30:00Z', true],
    // The first day begins at 18:30, and inside the rounded window only if that contains the hour's start.
    ['Asia/Kolkata', 'day', '2026-01-31T18:31:00Z', '2026-02-01T18:00:00Z', false],
    ['Asia/Kolkata', 'day', '2026-01-31T18:30:00Z', '2026-02-01T18:00:00Z', true],
    ['Asia/Kolkata', 'day', '2026-01-31T18:31:00Z', '2026-02-01T18:01:00Z', true],
    ['Asia/Kolkata', 'month', '2026-02-01T00:00:00Z', '2026-02-28T00:00:00Z', false],
  ] as const)(
    'knows whether a %s %s splits an hour from %s to %s',
    (timeZone, interval, start, end, splits) => {
      expect(createCalendar(timeZone).splitsHours(interval, window(start, end))).toBe(splits);
    },
  );
});
