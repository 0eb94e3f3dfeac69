/** The spans of time that costs are summed by, in UTC, and how a window is cut into them. */
import type { TimeWindow } from '#lambdas/platform/time-window.ts';

export type Period = 'month' | 'day' | 'hour' | 'minute';

/** Largest first; each is a whole number of the next. */
export const periods: readonly Period[] = ['month', 'day', 'hour', 'minute'];

/** A day, an hour and a minute are as long as any other; a month is not. */
const lengthMs = { day: 86_400_000, hour: 3_600_000, minute: 60_000 } as const;

const textLength = {
  month: 'YYYY-MM'.length,
  day: 'YYYY-MM-DD'.length,
  hour: 'YYYY-MM-DDTHH'.length,
  minute: 'YYYY-MM-DDTHH:MM'.length,
} as const;

/** The text by which rows sort: as much of an instant's RFC 3339 text as names its period, such as `2026-01-31T09`. */
export function periodText(period: Period, timestampMs: number): string {
  return new Date(timestampMs).toISOString().slice(0, textLength[period]);
}

/** The instant that a text of `periodText` names. */
export function startOfPeriodText(text: string): number {
  return Date.parse(`${text}${'0000-01-01T00:00:00.000Z'.slice(text.length)}`);
}

/** The start of the period that the instant lies in. */
export function startOfPeriod(period: Period, timestampMs: number): number {
  if (period !== 'month') return Math.floor(timestampMs / lengthMs[period]) * lengthMs[period];
  return startOfPeriodText(periodText(period, timestampMs));
}

/** The end of the period that the instant lies in, which is the start of the next. */
export function endOfPeriod(period: Period, timestampMs: number): number {
  const startMs = startOfPeriod(period, timestampMs);
  if (period !== 'month') return startMs + lengthMs[period];
  const start = new Date(startMs);
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
}

/** A part of a time window, and what to read for it: the sums of whole periods, or the entries themselves. */
export type WindowPart = TimeWindow & { source: Period | 'entries' };

/**
 * Cuts a window into the fewest spans, in order of time: whole periods of the largest kind, smaller ones at both of its
 * edges, and entries for the two spans that its bounds cut out of the smallest kind.
 *
 * However long the window is, the edges are at most 60 days, 46 hours, 118 minutes and 2 cut minutes; that is from
 * months down to minutes. From months down to hours, they are 60 days, 46 hours and 2 cut hours. A window of n months
 * has at most n of them.
 */
export function cutWindow(window: TimeWindow, largest: Period, smallest: Period): WindowPart[] {
  return cut(window, periods.slice(periods.indexOf(largest), periods.indexOf(smallest) + 1));
}

function cut({ startMs, endMs }: TimeWindow, [period, ...smaller]: Period[]): WindowPart[] {
  if (startMs >= endMs) return [];
  if (period === undefined) return [{ source: 'entries', startMs, endMs }];
  const wholeFromMs = roundUp(period, startMs);
  const wholeToMs = startOfPeriod(period, endMs);
  if (wholeFromMs >= wholeToMs) return cut({ startMs, endMs }, smaller);
  return [
    ...cut({ startMs, endMs: wholeFromMs }, smaller),
    { source: period, startMs: wholeFromMs, endMs: wholeToMs },
    ...cut({ startMs: wholeToMs, endMs }, smaller),
  ];
}

function roundUp(period: Period, timestampMs: number): number {
  return startOfPeriod(period, timestampMs) === timestampMs ? timestampMs : endOfPeriod(period, timestampMs);
}
