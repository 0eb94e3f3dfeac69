import { minuteMs } from './duration.ts';
import { invalidRequestError } from './errors.ts';

/** The start is inclusive, the end exclusive; in milliseconds since 1970. */
export interface TimeWindow {
  startMs: number;
  endMs: number;
}

/** The values of open bounds. Both are at the start of a month, so no monthly rollup is split. */
export const allTime: TimeWindow = { startMs: 0, endMs: Date.UTC(9999, 11) };

/** Ends before it starts if they do not overlap. */
export function overlapOf(one: TimeWindow, other: TimeWindow): TimeWindow {
  return { startMs: Math.max(one.startMs, other.startMs), endMs: Math.min(one.endMs, other.endMs) };
}

const rfc3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:[Zz]|([+\- ])([01]\d|2[0-3]):([0-5]\d))$/;

interface BoundNames {
  start: string;
  end: string;
}

/**
 * A missing bound is open. Throws a `GatewayError` that names the parameter.
 *
 * Log ids have millisecond precision, so rounding a more precise bound up to a millisecond selects the same entries.
 */
export function parseTimeWindow(
  bounds: Partial<BoundNames>,
  names: BoundNames = { start: 'start', end: 'end' },
): TimeWindow {
  const startMs = bounds.start === undefined ? allTime.startMs : parseTimestamp(names.start, bounds.start);
  const endMs = bounds.end === undefined ? allTime.endMs : parseTimestamp(names.end, bounds.end);
  if (bounds.start !== undefined && bounds.end !== undefined && startMs > endMs) {
    throw invalidRequestError(names.start, `${names.start} must not be after ${names.end}`);
  }
  return { startMs: clampToAllTime(startMs), endMs: clampToAllTime(endMs) };
}

function clampToAllTime(timestampMs: number): number {
  return Math.min(Math.max(timestampMs, allTime.startMs), allTime.endMs);
}

/** Returns milliseconds since 1970. Throws a `GatewayError` that names the parameter. */
export function parseTimestamp(param: string, text: string): number {
  const match = rfc3339.exec(text);
  const [, date, time, fraction = '', sign, hours = '0', minutes = '0'] = match ?? [];
  const secondsMs = Date.parse(`${date}T${time}Z`);
  // Date.parse accepts 30 February as 2 March.
  const isValid = !Number.isNaN(secondsMs) && new Date(secondsMs).toISOString().startsWith(`${date}T${time}`);
  if (!isValid) {
    throw invalidRequestError(param, `${param} must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z`);
  }
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * minuteMs;
  // A plus sign that was not percent-encoded arrives as a space.
  return secondsMs + roundUpToMs(fraction) - (sign === '-' ? -offsetMs : offsetMs);
}

function roundUpToMs(fraction: string): number {
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return /[1-9]/.test(fraction.slice(3)) ? milliseconds + 1 : milliseconds;
}

/** The part whose window contains the time. The windows are in order of time, and do not overlap. */
export function findWindow<Part extends { window: TimeWindow }>(
  parts: readonly Part[],
  timestampMs: number,
): Part | undefined {
  let [from, to] = [0, parts.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const part = parts[middle];
    if (part === undefined || timestampMs < part.window.startMs) to = middle;
    else if (timestampMs >= part.window.endMs) from = middle + 1;
    else return part;
  }
  return undefined;
}
