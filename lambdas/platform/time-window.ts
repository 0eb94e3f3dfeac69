/** Time windows in milliseconds, from RFC 3339 text. */
import { invalidRequest } from './errors.ts';

/** `start` is inside, `end` is not; milliseconds since 1970. */
export interface TimeWindow {
  startMs: number;
  endMs: number;
}

/** What an open bound stands for. Whole months, so that it never cuts a month's rollup. */
export const allTime: TimeWindow = { startMs: 0, endMs: Date.UTC(9999, 11) };

const rfc3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:[Zz]|([+\- ])([01]\d|2[0-3]):([0-5]\d))$/;

/**
 * Reads `start` and `end`; a bound that is left out is open.
 *
 * Log ids have millisecond precision, so a finer bound is moved to the next millisecond: that selects the same
 * entries. Throws a `GatewayError` that names the parameter.
 */
export function parseTimeWindow(bounds: { start?: string; end?: string }): TimeWindow {
  const startMs = bounds.start === undefined ? allTime.startMs : parseTimestamp('start', bounds.start);
  const endMs = bounds.end === undefined ? allTime.endMs : parseTimestamp('end', bounds.end);
  if (bounds.start !== undefined && bounds.end !== undefined && startMs > endMs) {
    throw invalidRequest('start', 'start must not be after end');
  }
  return { startMs: withinAllTime(startMs), endMs: withinAllTime(endMs) };
}

function withinAllTime(timestampMs: number): number {
  return Math.min(Math.max(timestampMs, allTime.startMs), allTime.endMs);
}

/** Milliseconds since 1970. Throws a `GatewayError` that names the parameter. */
export function parseTimestamp(param: string, text: string): number {
  const match = rfc3339.exec(text);
  const [, date, time, fraction = '', sign, hours = '0', minutes = '0'] = match ?? [];
  const secondsMs = Date.parse(`${date}T${time}Z`);
  // Date.parse lets 30 February pass as 2 March.
  const isRealDate =
    !Number.isNaN(secondsMs) && new Date(secondsMs).toISOString().startsWith(`${date}T${time}`);
  if (!isRealDate) {
    throw invalidRequest(param, `${param} must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z`);
  }
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  // A plus sign that was not percent-encoded arrives as a space.
  return secondsMs + millisecondsUp(fraction) - (sign === '-' ? -offsetMs : offsetMs);
}

function millisecondsUp(fraction: string): number {
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return /[1-9]/.test(fraction.slice(3)) ? milliseconds + 1 : milliseconds;
}
