/** Which sums answer a question about costs. */

import { type GatewayError, invalidRequest } from '#lambdas/platform/errors.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { endOfPeriod, type Period, startOfPeriod } from '../rollups/period.ts';
import { type Dimension, periodsOf } from '../rollups/rollup.ts';
import type { CostQuery } from './query.ts';
export interface CostPlan {
  /** What counts every request once. */
  totals: Dimension;
  /** What the groups are read from. */
  groups: Dimension;
  /** The largest spans that may be read: those of a series must not be larger than its elements. */
  largest: Period;
  /** The spans of which a bound of the window cuts one. */
  smallest: Period;
}

export function planCosts({ groupBy, interval }: Pick<CostQuery, 'groupBy' | 'interval'>): CostPlan {
  const groups = groupBy === null || groupBy === 'provider' ? 'model' : groupBy;
  return {
    // Every request has a key, so the sums by key are totals too, and one reading is enough.
    totals: groups === 'api_key' ? groups : 'model',
    groups,
    largest: interval ?? 'month',
    smallest: periodsOf(groups).at(-1) ?? 'hour',
  };
}

// The edges of a window of costs. Rollups answer for whole spans; a bound inside a span needs the entries of that span,
// and where those have expired it cannot be answered exactly. Such a bound moves down to the start of its span.
//
// Whether it does depends on the bound's whole span and on nothing else of the window. So the end of one window and the
// start of the next, at the same instant, go the same way, and windows that are adjacent stay so.

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

// How much an answer about costs may read, so that every question has a bounded price and takes a bounded time.

/** What an item is read for: as a sum, or as an entry of the span that this bound of the window cuts. */
const costItems = ['sum', 'start', 'end'] as const;
export type CostItem = (typeof costItems)[number];

export interface CostBudget {
  /** Throws a `GatewayError` (400) that names the parameter to change when there is nothing left to spend. */
  spend(item: CostItem, count: number): void;
}

export function createCostBudget(query: CostQuery, highestItems: number): CostBudget {
  const spent: Record<CostItem, number> = { sum: 0, start: 0, end: 0 };
  return {
    spend(item, count) {
      spent[item] += count;
      if (spent.sum + spent.start + spent.end <= highestItems) return;
      const [most = item] = costItems.toSorted((one, other) => spent[other] - spent[one]);
      throw most === 'sum'
        ? tooManySums(query, highestItems)
        : tooManyEntries(query, { bound: most, highestItems });
    },
  };
}

function tooManySums(query: CostQuery, highestItems: number): GatewayError {
  const { groupBy, interval } = query;
  const isGrouped = planCosts(query).groups !== 'model';
  const ways = [
    ...(isGrouped ? ['group by something that has fewer values'] : []),
    ...(interval === 'hour' ? ['take interval day'] : []),
    'take a start and an end that are closer together',
  ];
  return invalidRequest(
    isGrouped ? 'group_by' : 'start',
    `There are too many sums${isGrouped ? ` by ${groupBy}` : ''} in this window, as an answer adds up at most ` +
      `${highestItems} items: ${ways.join(', or ')}`,
  );
}

function tooManyEntries(
  query: CostQuery,
  { bound, highestItems }: { bound: 'start' | 'end'; highestItems: number },
): GatewayError {
  const { smallest } = planCosts(query);
  const { startMs, endMs } = query.window;
  const cutMs = bound === 'start' ? startMs : endMs;
  const whole = [startOfPeriod(smallest, cutMs), endOfPeriod(smallest, cutMs)];
  return invalidRequest(
    bound,
    `${bound} cuts one ${smallest} in two, which has too many requests for that, as an answer adds up at most ` +
      `${highestItems} items: put it at ${whole.map((ms) => new Date(ms).toISOString()).join(' or ')}`,
  );
}
