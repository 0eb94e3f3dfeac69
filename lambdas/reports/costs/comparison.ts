import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { Calendar, LocalInterval } from './calendar.ts';

/**
 * The range that ends where the window starts and has as many local months or days, if both bounds of the window are the
 * starts of such; otherwise `null`.
 */
export function previousLocalWindow({ startMs, endMs }: TimeWindow, calendar: Calendar): TimeWindow | null {
  const isStartOf = (interval: LocalInterval, ms: number) => calendar.startOf(interval, ms) === ms;
  const interval = (['month', 'day'] as const).find(
    (each) => isStartOf(each, startMs) && isStartOf(each, endMs),
  );
  if (interval === undefined) return null;
  const count = calendar.count(interval, { startMs, endMs });
  return { startMs: Math.max(0, calendar.shift(interval, startMs, -count)), endMs: startMs };
}

/** The time before the window that is as long. */
export function windowBefore({ startMs, endMs }: TimeWindow): TimeWindow {
  return { startMs: Math.max(0, 2 * startMs - endMs), endMs: startMs };
}
