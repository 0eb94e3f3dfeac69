/** The options --from and --to: a window of time, as the API takes it. */
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { usageError } from './admin-error.ts';
import { parseTimeOption } from './command-arguments.ts';

/** Milliseconds since 1970, from RFC 3339. */
export function parseTime(text: string): number {
  return Math.min(Math.max(parseTimeOption(text), allTime.startMs), allTime.endMs);
}

export function windowOf(from: number, to: number): TimeWindow {
  if (from > to) throw usageError('--from must not be after --to');
  return { startMs: from, endMs: to };
}
