/**
 * Plans the reads of a cost query: first log entries, for the partial periods at its window's start and end; then, knowing
 * which of them have expired, rollup rows, for the whole periods.
 */

import { type Dimension, periodsOf } from '#lambdas/costs/rollups/rollup.ts';
import { hourMs } from '#lambdas/platform/duration.ts';
import { endOfPeriod, type Period, roundUpToPeriod, startOfPeriod } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { type Calendar, isLocal } from './calendar.ts';
import { type CoverPart, coverElements } from './cover.ts';
import type { CostQuery } from './query.ts';
import type { FinestPeriod, Interval, Series } from './window.ts';

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
const countingDelayMs = hourMs;

function isFullyCounted({ endMs }: TimeWindow, nowMs: number): boolean {
  return endMs + countingDelayMs <= nowMs;
}

/** Returns at most two partial periods, each one `period` long. */
export function findPartialPeriods(window: TimeWindow, period: Period, now: Date): PartialPeriod[] {
  const { startMs, endMs } = window;
  const partialPeriods = new Map<number, PartialPeriod>();
  if (startMs >= endMs) return [];
  for (const bound of ['start', 'end'] as const) {
    const boundMs = window[`${bound}Ms`];
    const fullPeriod = { startMs: startOfPeriod(period, boundMs), endMs: endOfPeriod(period, boundMs) };
    if (boundMs === fullPeriod.startMs || partialPeriods.has(fullPeriod.startMs)) continue;
    partialPeriods.set(fullPeriod.startMs, {
      bound,
      fullPeriod,
      mayHaveExpired: isFullyCounted(fullPeriod, now.getTime()),
    });
  }
  return [...partialPeriods.values()];
}

export interface ReadPlan {
  /** The query's window, rounded down where the entries of a partial period have expired. */
  window: TimeWindow;
  roundedTo: FinestPeriod | null;
  /** The parts of the window that are summed one by one: the elements of the series, the days, or the window itself. */
  elements: TimeWindow[];
  totalReads: RowRead[];
  /** The same as `totalReads` if groups are of the same dimension. Not divided by days otherwise. */
  groupReads: RowRead[];
}

/** Rows of consecutive periods that are read at once, for one or more parts. */
export interface RowRead {
  period: Period;
  window: TimeWindow;
  parts: CoverPart[];
}

export interface PlanFacts {
  /** The partial periods some of whose entries have expired. */
  expired: TimeWindow[];
  /** Outside of it there are no rows. */
  span: TimeWindow;
  /** In milliseconds since 1970. The rollups have counted all entries and changes that were written before. */
  countedUntilMs: number;
}

export function planReads(query: CostQuery, facts: PlanFacts): ReadPlan {
  const { dimensions, series, days, windowInResponse } = query;
  const window = roundDown(query.window, facts.expired);
  const totals: Division =
    days === null
      ? { elements: elementsOf(window, series), interval: series?.interval ?? null }
      : { elements: dayElements(window, days), interval: 'day' };
  const groups = days === null ? totals : { elements: [window], interval: null };
  const readsOf = (dimension: Dimension, division: Division) =>
    combine(coverByRows(division, dimension, query, facts));
  const totalReads = readsOf(dimensions.totals, totals);
  const { elements } = totals;
  return {
    window,
    roundedTo: facts.expired.length > 0 ? dimensions.finestPeriod : windowInResponse.roundedTo,
    elements,
    totalReads,
    groupReads: dimensions.totals === dimensions.groups ? totalReads : readsOf(dimensions.groups, groups),
  };
}

interface Division {
  elements: TimeWindow[];
  interval: Interval | null;
}

/**
 * Rounds those bounds of the window down that lie inside an expired period: only the rollup rows of the whole period remain.
 *
 * Rounding depends only on the period of the bound itself. So the end of one window and the start of the next, at the same
 * instant, are rounded alike, and adjacent windows stay adjacent.
 */
function roundDown(window: TimeWindow, expiredPeriods: TimeWindow[]): TimeWindow {
  const round = (ms: number) =>
    expiredPeriods.find(({ startMs, endMs }) => startMs < ms && ms < endMs)?.startMs ?? ms;
  return { startMs: round(window.startMs), endMs: round(window.endMs) };
}

function elementsOf(window: TimeWindow, series: Series | null): TimeWindow[] {
  if (series === null) return [window];
  const { interval, calendar } = series;
  const elements: TimeWindow[] = [];
  for (let { startMs } = window; startMs < window.endMs; ) {
    const endMs = Math.min(calendar.endOf(interval, startMs), window.endMs);
    elements.push({ startMs, endMs });
    startMs = endMs;
  }
  return elements;
}

/** Local days, each of which begins at the full hour before, so that no sums by minute are needed between them. */
function dayElements({ startMs, endMs }: TimeWindow, calendar: Calendar): TimeWindow[] {
  if (startMs >= endMs) return [];
  const bounds = [startMs];
  for (let ms = calendar.endOf('day', startMs); ms < endMs; ms = calendar.endOf('day', ms))
    bounds.push(Math.max(startMs, startOfPeriod('hour', ms)));
  return bounds.map((ms, index) => ({ startMs: ms, endMs: bounds[index + 1] ?? endMs }));
}

/** Covers the whole periods of the elements inside the span by the longest periods that the dimension has rows of. */
function coverByRows(
  { elements, interval }: Division,
  dimension: Dimension,
  { dimensions: { finestPeriod } }: CostQuery,
  { span, countedUntilMs }: PlanFacts,
): CoverPart[] {
  const available = periodsOf(dimension);
  const coarsestPeriod = available.find((period) => period === interval) ?? available[0] ?? finestPeriod;
  const clip = (ms: number) => Math.min(Math.max(ms, span.startMs), span.endMs);
  const whole = elements.map((element) => {
    const startMs = clip(roundUpToPeriod(finestPeriod, element.startMs));
    // For an element within one period, rounding would move its end before its start.
    return { startMs, endMs: Math.max(startMs, clip(startOfPeriod(finestPeriod, element.endMs))) };
  });
  return coverElements(whole, {
    coarsestPeriod,
    finestPeriod,
    // While rows are written, which can be much later than usual, those of different periods do not match, so they are
    // only added up.
    isFinal: (period) => interval !== null && isLocal(interval) && isFullyCounted(period, countedUntilMs),
  });
}

function combine(parts: readonly CoverPart[]): RowRead[] {
  const reads: RowRead[] = [];
  for (const part of parts) {
    const last = reads.at(-1);
    if (last !== undefined && last.period === part.period && last.window.endMs === part.window.startMs) {
      last.window = { startMs: last.window.startMs, endMs: part.window.endMs };
      last.parts.push(part);
    } else reads.push({ period: part.period, window: part.window, parts: [part] });
  }
  return reads;
}
