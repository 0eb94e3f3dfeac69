/** Finds the rollup rows that add up to the elements of a series, whose bounds need not be bounds of long periods. */

import {
  endOfPeriod,
  type Period,
  periods,
  roundUpToPeriod,
  startOfPeriod,
} from '#lambdas/platform/period.ts';
import { findWindow, type TimeWindow } from '#lambdas/platform/time-window.ts';

/** The rows of consecutive whole periods, with the elements to which they are added and from which they are subtracted. */
export interface CoverPart {
  period: Period;
  window: TimeWindow;
  /** Indexes in the list of elements; `null` for none. Not both are. */
  addTo: number | null;
  subtractFrom: number | null;
}

export interface CoverOptions {
  coarsestPeriod: Period;
  finestPeriod: Period;
  /**
   * Whether the rows of the period and of the periods in it are final, so that they can be subtracted from each other. If
   * true for a period, it must be true for all periods in it.
   */
  isFinal(period: TimeWindow): boolean;
}

/** Time of one element, by its index in the list of elements; `null` for time outside of them. */
interface Slice {
  window: TimeWindow;
  element: number | null;
}

/**
 * Returns the rows whose weighted sums are the elements: coarsest periods first, then in order of time. No row is in two
 * parts. The elements must be contiguous, in order, and whole numbers of the finest period.
 *
 * A period that several elements share is assigned to the one that has most of it, if its rows are final; otherwise to none.
 * The rows of shorter periods correct that: they are subtracted from the element that the longer period was assigned to, and
 * added to their own. So a local day takes one row by the day, plus at most 12 by the hour and 30 by the minute for each of
 * its bounds, which it shares with its neighbours. Without subtraction, it would take 23 by the hour or more.
 */
export function coverElements(
  elements: readonly TimeWindow[],
  { coarsestPeriod, finestPeriod, isFinal }: CoverOptions,
): CoverPart[] {
  const slices = toWholePeriods(elements, coarsestPeriod);
  let assigned: Slice[] = [];
  return periods
    .slice(periods.indexOf(coarsestPeriod), periods.indexOf(finestPeriod) + 1)
    .flatMap((period) => {
      const previous = assigned;
      assigned = assignPeriods(period, slices, { previous, isFinal });
      return changes(period, previous, assigned);
    });
}

/** Adds slices before and after the elements, so that together they are whole periods. */
function toWholePeriods(elements: readonly TimeWindow[], period: Period): Slice[] {
  const startMs = elements[0]?.startMs ?? 0;
  const endMs = elements.at(-1)?.endMs ?? startMs;
  return [
    { window: { startMs: startOfPeriod(period, startMs), endMs: startMs }, element: null },
    ...elements.map((window, element) => ({ window, element })),
    { window: { startMs: endMs, endMs: roundUpToPeriod(period, endMs) }, element: null },
  ];
}

interface AssignOptions extends Pick<CoverOptions, 'isFinal'> {
  /** The assignment of the next longer periods. */
  previous: readonly Slice[];
}

/** Assigns whole periods to elements. Returns only the time of elements, in order. */
function assignPeriods(
  period: Period,
  slices: readonly Slice[],
  { previous, isFinal }: AssignOptions,
): Slice[] {
  const assigned: Slice[] = [];
  const assign = (element: number | null, window: TimeWindow) => {
    if (element !== null && window.startMs < window.endMs) assigned.push({ window, element });
  };
  let assignedToMs = Number.NEGATIVE_INFINITY;
  for (const [index, { window, element }] of slices.entries()) {
    const wholeToMs = startOfPeriod(period, window.endMs);
    assign(element, { startMs: roundUpToPeriod(period, window.startMs), endMs: wholeToMs });
    if (wholeToMs === window.endMs || wholeToMs < assignedToMs) continue;
    const shared = { startMs: wholeToMs, endMs: endOfPeriod(period, wholeToMs) };
    assignedToMs = shared.endMs;
    const preferred = elementAt(previous, shared.startMs);
    if (isFinal(shared)) assign(elementWithMost(shared, slices, { index, preferred }), shared);
  }
  return assigned;
}

/** Returns the element with most of a shared period, which begins in the slice at `index`; of equal ones, the preferred one. */
function elementWithMost(
  shared: TimeWindow,
  slices: readonly Slice[],
  { index, preferred }: { index: number; preferred: number | null },
): number | null {
  const sharesMs = new Map([[preferred, 0]]);
  for (let next = index; ; next += 1) {
    const slice = slices[next];
    if (slice === undefined || slice.window.startMs >= shared.endMs) break;
    const { window, element } = slice;
    const shareMs = Math.min(window.endMs, shared.endMs) - Math.max(window.startMs, shared.startMs);
    sharesMs.set(element, (sharesMs.get(element) ?? 0) + shareMs);
  }
  return [...sharesMs].reduce((most, share) => (share[1] > most[1] ? share : most))[0];
}

/** The rows of the period that turn the assignment of longer periods into that of this one. */
function changes(period: Period, previous: readonly Slice[], assigned: readonly Slice[]): CoverPart[] {
  const bounds = [...previous, ...assigned].flatMap(({ window }) => [window.startMs, window.endMs]);
  const starts = [...new Set(bounds)].sort((one, other) => one - other);
  return starts.flatMap((startMs, index) => {
    const [addTo, subtractFrom] = [elementAt(assigned, startMs), elementAt(previous, startMs)];
    const window = { startMs, endMs: starts[index + 1] ?? startMs };
    return addTo === subtractFrom ? [] : [{ period, window, addTo, subtractFrom }];
  });
}

function elementAt(slices: readonly Slice[], timestampMs: number): number | null {
  return findWindow(slices, timestampMs)?.element ?? null;
}
