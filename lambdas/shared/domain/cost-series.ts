/** A window as a series of hours or days, the first and the last of them cut as the window cuts them. */
import { endOfPeriod, type Period, startOfPeriod } from './period.ts';
import type { TimeWindow } from './time-window.ts';

export const intervals = ['hour', 'day'] as const satisfies readonly Period[];
export type Interval = (typeof intervals)[number];

/** How many hours or days the window touches. */
export function seriesLength({ startMs, endMs }: TimeWindow, interval: Interval): number {
  return startMs < endMs ? placeInSeries(endMs - 1, { startMs, interval }) + 1 : 0;
}

/** The elements, in order; together they are the window. */
export function seriesOf(window: TimeWindow, interval: Interval): TimeWindow[] {
  const elements: TimeWindow[] = [];
  for (let { startMs } = window; startMs < window.endMs; ) {
    const endMs = Math.min(endOfPeriod(interval, startMs), window.endMs);
    elements.push({ startMs, endMs });
    startMs = endMs;
  }
  return elements;
}

/** What belongs to each element of the window's series. All of it must lie in the window. */
export function splitIntoSeries<Dated extends { startMs: number }>(
  items: Iterable<Dated>,
  { window, interval }: { window: TimeWindow; interval: Interval },
): Dated[][] {
  const elements: Dated[][] = Array.from({ length: seriesLength(window, interval) }, () => []);
  const { startMs } = window;
  for (const item of items) elements[placeInSeries(item.startMs, { startMs, interval })]?.push(item);
  return elements;
}

function placeInSeries(
  timestampMs: number,
  { startMs, interval }: { startMs: number; interval: Interval },
): number {
  const elementMs = endOfPeriod(interval, 0);
  return Math.floor((timestampMs - startOfPeriod(interval, startMs)) / elementMs);
}
