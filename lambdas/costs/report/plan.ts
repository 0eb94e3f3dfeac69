/** Plans the reads for a cost query: sums of the whole periods of its window, and entries of those that its bounds cut. */
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { endOfPeriod, type Period, periods, startOfPeriod } from '../rollups/period.ts';
import { type Dimension, periodsOf, totalsDimension } from '../rollups/rollup.ts';
import type { CostQuery } from './query.ts';

export interface CostPlan {
  /** The dimension that counts every request once. */
  totalsDimension: Dimension;
  /** The dimension that the groups are read from. */
  groupDimension: Dimension;
  /** The largest periods whose sums are read: those of a series must not be larger than its elements. */
  largest: Period;
  /** The smallest periods that the dimensions have sums for. */
  smallest: Period;
  /** The periods of the smallest kind that the window's bounds cut: none, one or two. */
  edges: Edge[];
}

export interface Edge {
  /** The bound that cuts the period; the start where both do. */
  bound: 'start' | 'end';
  span: TimeWindow;
  /** Whether some of its entries may have expired, so that the rest of them would add up to less than was counted. */
  mayHaveExpired: boolean;
}

/**
 * Requests run for minutes and are logged at their end. So an hour after a period, its entries are all written and
 * counted, and when fewer are left than were counted, some have expired. Before that none has: retention is days.
 */
const settledAfterMs = 3_600_000;

export function planCosts({ window, groupBy, interval }: CostQuery, now: Date): CostPlan {
  const groupDimension = groupBy === null || groupBy === 'provider' ? totalsDimension : groupBy;
  const smallest = periodsOf(groupDimension).at(-1) ?? 'hour';
  return {
    // Every request has a key, so the sums by key are totals too, and reading them once is enough.
    totalsDimension: groupDimension === 'api_key' ? groupDimension : totalsDimension,
    groupDimension,
    largest: interval ?? 'month',
    smallest,
    edges: edgesOf(window, smallest, now),
  };
}

function edgesOf(window: TimeWindow, period: Period, now: Date): Edge[] {
  const { startMs, endMs } = window;
  const edges = new Map<number, Edge>();
  if (startMs >= endMs) return [];
  for (const bound of ['start', 'end'] as const) {
    const cutMs = window[`${bound}Ms`];
    const span = { startMs: startOfPeriod(period, cutMs), endMs: endOfPeriod(period, cutMs) };
    if (cutMs === span.startMs || edges.has(span.startMs)) continue;
    const mayHaveExpired = span.endMs + settledAfterMs <= now.getTime();
    edges.set(span.startMs, { bound, span, mayHaveExpired });
  }
  return [...edges.values()];
}

/**
 * The window with those bounds moved down that lie inside one of the spans, whose entries have expired: the sums answer
 * for whole periods alone.
 *
 * Whether a bound moves depends on its own period and nothing else of the window. So the end of one window and the start
 * of the next, at the same instant, move alike, and adjacent windows stay adjacent.
 */
export function roundDown(window: TimeWindow, spans: TimeWindow[]): TimeWindow {
  const round = (ms: number) => spans.find((span) => span.startMs < ms && ms < span.endMs)?.startMs ?? ms;
  return { startMs: round(window.startMs), endMs: round(window.endMs) };
}

/** Whole periods of one kind, one after the other. */
export interface WholePeriods {
  period: Period;
  window: TimeWindow;
}

/**
 * The fewest whole periods that cover a window but for the two that its bounds cut, in order of time: those of the
 * largest kind, and smaller ones at both edges.
 *
 * However long the window is, the edges are at most 60 days, 46 hours and 118 minutes, or down to hours 60 days and 46
 * hours. A window of n months has at most n of them.
 */
export function wholePeriods(window: TimeWindow, largest: Period, smallest: Period): WholePeriods[] {
  return cut(window, periods.slice(periods.indexOf(largest), periods.indexOf(smallest) + 1));
}

function cut({ startMs, endMs }: TimeWindow, [period, ...smaller]: Period[]): WholePeriods[] {
  if (startMs >= endMs || period === undefined) return [];
  const wholeFromMs = startOfPeriod(period, startMs) === startMs ? startMs : endOfPeriod(period, startMs);
  const wholeToMs = startOfPeriod(period, endMs);
  if (wholeFromMs >= wholeToMs) return cut({ startMs, endMs }, smaller);
  return [
    ...cut({ startMs, endMs: wholeFromMs }, smaller),
    { period, window: { startMs: wholeFromMs, endMs: wholeToMs } },
    ...cut({ startMs: wholeToMs, endMs }, smaller),
  ];
}
