/**
 * The edges of a window of costs. Rollups answer for whole spans; a bound inside a span needs the entries of that span,
 * and where those have expired it cannot be answered exactly. Such a bound moves down to the start of its span.
 *
 * Whether it does depends on the bound's whole span and on nothing else of the window. So the end of one window and the
 * start of the next, at the same instant, go the same way, and windows that are adjacent stay so.
 */
import { endOfPeriod, type Period, startOfPeriod } from './period.ts';
import type { TimeWindow } from './time-window.ts';

/**
 * A request runs for minutes, and is logged at its end. An hour after a span, all of its entries are there and counted,
 * so fewer of them than were counted means that some have expired. Before that nothing has: retention is days.
 */
const settledAfterMs = 3_600_000;

/** The whole periods that the bounds of the window cut: none, one or two. */
export function cutSpans({ startMs, endMs }: TimeWindow, period: Period): TimeWindow[] {
  if (startMs >= endMs) return [];
  const cut = [startMs, endMs].filter((ms) => startOfPeriod(period, ms) !== ms);
  const starts = new Set(cut.map((ms) => startOfPeriod(period, ms)));
  return [...starts].map((start) => ({ startMs: start, endMs: endOfPeriod(period, start) }));
}

/** Whether entries of the span may have expired. */
export function mayHaveExpired(span: TimeWindow, now: Date): boolean {
  return span.endMs + settledAfterMs <= now.getTime();
}

/** The window with those bounds moved down that lie inside one of the spans. */
export function roundDown(window: TimeWindow, spans: TimeWindow[]): TimeWindow {
  const round = (ms: number) => spans.find((span) => span.startMs < ms && ms < span.endMs)?.startMs ?? ms;
  return { startMs: round(window.startMs), endMs: round(window.endMs) };
}

/** The part of the window that lies in the span. */
export function intersect(window: TimeWindow, span: TimeWindow): TimeWindow {
  return {
    startMs: Math.max(window.startMs, span.startMs),
    endMs: Math.min(window.endMs, span.endMs),
  };
}
