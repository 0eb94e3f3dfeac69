/** The periods of cost rollups, in UTC. */

import { dayMs, hourMs, minuteMs } from './duration.ts';
import type { TimeWindow } from './time-window.ts';

export type Period = 'month' | 'day' | 'hour' | 'minute';

/** Largest first; each is a whole number of the next. */
export const periods: readonly Period[] = ['month', 'day', 'hour', 'minute'];

/** A month has no fixed length. */
export const periodLengthMs = { day: dayMs, hour: hourMs, minute: minuteMs } as const;

const textLength = {
  month: 'YYYY-MM'.length,
  day: 'YYYY-MM-DD'.length,
  hour: 'YYYY-MM-DDTHH'.length,
  minute: 'YYYY-MM-DDTHH:MM'.length,
} as const;

/** The part of an RFC 3339 timestamp that identifies the period, such as `2026-01-31T09`; row keys sort by it. */
export function periodText(period: Period, timestampMs: number): string {
  return new Date(timestampMs).toISOString().slice(0, textLength[period]);
}

/** The inverse of `periodText`, in milliseconds since 1970. */
export function parsePeriodText(text: string): number {
  return Date.parse(`${text}${'0000-01-01T00:00:00.000Z'.slice(text.length)}`);
}

export function startOfPeriod(period: Period, timestampMs: number): number {
  if (period !== 'month') return Math.floor(timestampMs / periodLengthMs[period]) * periodLengthMs[period];
  return parsePeriodText(periodText(period, timestampMs));
}

/** Exclusive. */
export function endOfPeriod(period: Period, timestampMs: number): number {
  const startMs = startOfPeriod(period, timestampMs);
  if (period !== 'month') return startMs + periodLengthMs[period];
  const start = new Date(startMs);
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
}

/** The start of the first period that does not begin earlier. */
export function roundUpToPeriod(period: Period, timestampMs: number): number {
  const startMs = startOfPeriod(period, timestampMs);
  return startMs === timestampMs ? startMs : endOfPeriod(period, timestampMs);
}

/** The number of periods in a window that starts and ends with one. */
export function countPeriods(period: Period, { startMs, endMs }: TimeWindow): number {
  if (period !== 'month') return (endMs - startMs) / periodLengthMs[period];
  const [start, end] = [new Date(startMs), new Date(endMs)];
  return (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
}
