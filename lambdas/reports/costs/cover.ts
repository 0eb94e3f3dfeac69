/** Finds the rollup rows that add up to the elements of a series, whose bounds need not be bounds of long periods. */

import {
  countPeriods,
  endOfPeriod,
  type Period,
  periods,
  roundUpToPeriod,
  startOfPeriod,
} from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';

/** The rows of consecutive whole periods, with the elements to which they are added and from which they are subtracted. */
export interface CoverPart {
  period: Period;
  window: TimeWindow;
  /** One or two, in the order of the elements. */
  targets: CoverTarget[];
}

interface CoverTarget {
  /** An index in the list of elements. */
  element: number;
  weight: 1 | -1;
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

/**
 * Returns the rows whose weighted sums are the elements, with the fewest periods: coarsest periods first, then in order of
 * time. No row is in two parts. The elements must be contiguous, in order, and whole numbers of the finest period.
 *
 * A period with several elements is either not read, but shorter periods instead; or, if it is final, read for one of its
 * elements, from which the shorter periods of the others are subtracted. So a local day takes one row by the day, plus at
 * most 12 by the hour and 30 by the minute for each of its bounds, which it shares with its neighbours.
 *
 * The running time does not depend on the length of elements. It grows with their number, and if many are in the same coarsest
 * period, with the square of it.
 */
export function coverElements(elements: readonly TimeWindow[], options: CoverOptions): CoverPart[] {
  const { coarsestPeriod, finestPeriod, isFinal } = options;
  const lengths = periods.slice(periods.indexOf(coarsestPeriod), periods.indexOf(finestPeriod) + 1);
  const { runs } = coverSlices(toWholePeriods(elements, coarsestPeriod), null, lengths, isFinal);
  return lengths.flatMap((period) => mergeRuns(runs.filter((each) => each.period === period)).map(toPart));
}

/** A window that belongs to one element, or to none (`null`) if it is before or after all elements. */
interface Slice {
  window: TimeWindow;
  element: number | null;
}

/** Rows that are added to one element, and subtracted from the one for which a longer period with them was read. */
interface RowRun {
  period: Period;
  window: TimeWindow;
  addTo: number | null;
  subtractFrom: number | null;
}

interface Cover {
  periodCount: number;
  runs: RowRun[];
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

/**
 * Covers contiguous slices that together are whole periods of the first length. The rows of a longer period, if any, have
 * been read for the element `readFor`.
 */
function coverSlices(
  slices: readonly Slice[],
  readFor: number | null,
  lengths: readonly Period[],
  isFinal: CoverOptions['isFinal'],
): Cover {
  const [period, ...shorter] = lengths;
  if (period === undefined) return emptyCover;
  const covers: Cover[] = [];
  let coveredToMs = Number.NEGATIVE_INFINITY;
  for (const [index, { window, element }] of slices.entries()) {
    const wholeFromMs = roundUpToPeriod(period, window.startMs);
    const wholeToMs = startOfPeriod(period, window.endMs);
    if (wholeFromMs < wholeToMs) {
      covers.push(coverWhole(period, { startMs: wholeFromMs, endMs: wholeToMs }, element, readFor));
    }
    if (wholeToMs < window.endMs && wholeToMs >= coveredToMs) {
      const divided = { startMs: wholeToMs, endMs: endOfPeriod(period, wholeToMs) };
      const parts = slicesWithin(divided, slices, index);
      covers.push(coverDivided({ period, window: divided, parts }, readFor, shorter, isFinal));
      coveredToMs = divided.endMs;
    }
  }
  return join(covers);
}

/** A period whose parts belong to different elements. */
interface DividedPeriod {
  period: Period;
  window: TimeWindow;
  parts: readonly Slice[];
}

function coverDivided(
  { period, window, parts }: DividedPeriod,
  readFor: number | null,
  shorter: readonly Period[],
  isFinal: CoverOptions['isFinal'],
): Cover {
  // Reading a final period for one of its parts is never worse than reading it for none of them.
  const candidates = new Set(isFinal(window) ? parts.map(({ element }) => element) : [readFor]);
  return (
    [...candidates]
      // First, so that nothing is subtracted where that saves nothing.
      .sort((one, other) => Number(other === readFor) - Number(one === readFor))
      .map((element) =>
        join([coverWhole(period, window, element, readFor), coverSlices(parts, element, shorter, isFinal)]),
      )
      .reduce((best, cover) => (cover.periodCount < best.periodCount ? cover : best))
  );
}

const emptyCover: Cover = { periodCount: 0, runs: [] };

function coverWhole(
  period: Period,
  window: TimeWindow,
  addTo: number | null,
  subtractFrom: number | null,
): Cover {
  if (addTo === subtractFrom) return emptyCover;
  return { periodCount: countPeriods(period, window), runs: [{ period, window, addTo, subtractFrom }] };
}

function join(covers: readonly Cover[]): Cover {
  return {
    periodCount: covers.reduce((count, cover) => count + cover.periodCount, 0),
    runs: covers.flatMap(({ runs }) => runs),
  };
}

/** The parts of the slices inside the window, which begins in the slice at `index`. */
function slicesWithin(window: TimeWindow, slices: readonly Slice[], index: number): Slice[] {
  const parts: Slice[] = [];
  for (let next = index; ; next += 1) {
    const slice = slices[next];
    if (slice === undefined || slice.window.startMs >= window.endMs) return parts;
    const startMs = Math.max(slice.window.startMs, window.startMs);
    const endMs = Math.min(slice.window.endMs, window.endMs);
    if (startMs < endMs) parts.push({ window: { startMs, endMs }, element: slice.element });
  }
}

function mergeRuns(runs: readonly RowRun[]): RowRun[] {
  const merged: RowRun[] = [];
  for (const next of runs) {
    const last = merged.at(-1);
    const isSame =
      last !== undefined &&
      last.window.endMs === next.window.startMs &&
      last.addTo === next.addTo &&
      last.subtractFrom === next.subtractFrom;
    if (isSame) last.window = { startMs: last.window.startMs, endMs: next.window.endMs };
    else merged.push({ ...next });
  }
  return merged;
}

function toPart({ period, window, addTo, subtractFrom }: RowRun): CoverPart {
  const targets: CoverTarget[] = [];
  if (addTo !== null) targets.push({ element: addTo, weight: 1 });
  if (subtractFrom !== null) targets.push({ element: subtractFrom, weight: -1 });
  return { period, window, targets: targets.sort((one, other) => one.element - other.element) };
}
