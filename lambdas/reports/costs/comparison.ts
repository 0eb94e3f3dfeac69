import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { Calendar, LocalInterval } from './calendar.ts';

/**
 * The range that ends where the window starts and is as long: as many local months or days if both bounds of the window are
 * the starts of such, otherwise the same time.
 */
export function previousWindow({ startMs, endMs }: TimeWindow, calendar: Calendar): TimeWindow {
  const isStartOf = (interval: LocalInterval, ms: number) => calendar.startOf(interval, ms) === ms;
  const interval = (['month', 'day'] as const).find(
    (each) => isStartOf(each, startMs) && isStartOf(each, endMs),
  );
  if (interval === undefined) return windowBefore({ startMs, endMs });
  const count = calendar.count(interval, { startMs, endMs });
  return { startMs: Math.max(0, calendar.shift(interval, startMs, -count)), endMs: startMs };
}

/** The time before the window that is as long. */
export function windowBefore({ startMs, endMs }: TimeWindow): TimeWindow {
  return { startMs: Math.max(0, 2 * startMs - endMs), endMs: startMs };
}
