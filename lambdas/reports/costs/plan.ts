/**
 * Plans the reads for a cost query: rollup rows for the whole periods of its window, log entries for the partial periods at
 * the window's start and end.
 */

import { endOfPeriod, type Period, periods, startOfPeriod } from '#lambdas/costs/rollups/period.ts';
import { type Dimension, periodsOf, totalsDimension } from '#lambdas/costs/rollups/rollup.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { CostQuery } from './query.ts';

export interface CostPlan {
  /** The dimension from which the totals are read: it counts every request once. */
  totalsDimension: Dimension;
  groupDimension: Dimension;
  /** The coarsest periods whose rows are read; for a series at most its interval. */
  coarsestPeriod: Period;
  finestPeriod: Period;
  /** At most two, each one `finestPeriod` long. */
  partialPeriods: PartialPeriod[];
}

export interface PartialPeriod {
  /** The bound of the window that lies inside the period; `start` when both do. */
  bound: 'start' | 'end';
  fullPeriod: TimeWindow;
  /** True when some of its entries may have expired: the remaining entries then add up to less than its rows. */
  mayHaveExpired: boolean;
}

/**
 * Requests run for minutes and are logged at their end, so an hour after a period all its entries are written and counted.
 * From then on, fewer entries than counted requests mean that entries have expired. Before, none has expired, since
 * retention is at least a day.
 */
const settleMs = 3_600_000;

export function planCosts({ window, groupBy, interval }: CostQuery, now: Date): CostPlan {
  const groupDimension = groupBy === null || groupBy === 'provider' ? totalsDimension : groupBy;
  const finestPeriod = periodsOf(groupDimension).at(-1) ?? 'hour';
  return {
    // Every request has an API key, so the rows by key are complete totals too.
    totalsDimension: groupDimension === 'api_key' ? groupDimension : totalsDimension,
    groupDimension,
    coarsestPeriod: interval ?? 'month',
    finestPeriod,
    partialPeriods: findPartialPeriods(window, finestPeriod, now),
  };
}

function findPartialPeriods(window: TimeWindow, period: Period, now: Date): PartialPeriod[] {
  const { startMs, endMs } = window;
  const partialPeriods = new Map<number, PartialPeriod>();
  if (startMs >= endMs) return [];
  for (const bound of ['start', 'end'] as const) {
    const boundMs = window[`${bound}Ms`];
    const fullPeriod = { startMs: startOfPeriod(period, boundMs), endMs: endOfPeriod(period, boundMs) };
    if (boundMs === fullPeriod.startMs || partialPeriods.has(fullPeriod.startMs)) continue;
    const mayHaveExpired = fullPeriod.endMs + settleMs <= now.getTime();
    partialPeriods.set(fullPeriod.startMs, { bound, fullPeriod, mayHaveExpired });
  }
  return [...partialPeriods.values()];
}

/**
 * Rounds those bounds of the window down that lie inside an expired period: only the rollup rows of the whole period remain.
 *
 * Rounding depends only on the period of the bound itself. So the end of one window and the start of the next, at the same
 * instant, are rounded alike, and adjacent windows stay adjacent.
 */
export function roundDown(window: TimeWindow, expiredPeriods: TimeWindow[]): TimeWindow {
  const round = (ms: number) =>
    expiredPeriods.find(({ startMs, endMs }) => startMs < ms && ms < endMs)?.startMs ?? ms;
  return { startMs: round(window.startMs), endMs: round(window.endMs) };
}

/** Consecutive whole periods of the same length. */
export interface WholePeriods {
  period: Period;
  window: TimeWindow;
}

/**
 * The fewest whole periods that cover the window except for the partial periods at its ends, in order of time: the largest
 * periods, with smaller ones on both sides.
 *
 * The smaller ones are at most 60 days, 46 hours and 118 minutes, however long the window is.
 */
export function wholePeriods(
  window: TimeWindow,
  coarsestPeriod: Period,
  finestPeriod: Period,
): WholePeriods[] {
  return splitIntoWholePeriods(
    window,
    periods.slice(periods.indexOf(coarsestPeriod), periods.indexOf(finestPeriod) + 1),
  );
}

function splitIntoWholePeriods(
  { startMs, endMs }: TimeWindow,
  [period, ...smaller]: Period[],
): WholePeriods[] {
  if (startMs >= endMs || period === undefined) return [];
  const wholeFromMs = startOfPeriod(period, startMs) === startMs ? startMs : endOfPeriod(period, startMs);
  const wholeToMs = startOfPeriod(period, endMs);
  if (wholeFromMs >= wholeToMs) return splitIntoWholePeriods({ startMs, endMs }, smaller);
  return [
    ...splitIntoWholePeriods({ startMs, endMs: wholeFromMs }, smaller),
    { period, window: { startMs: wholeFromMs, endMs: wholeToMs } },
    ...splitIntoWholePeriods({ startMs: wholeToMs, endMs }, smaller),
  ];
}
