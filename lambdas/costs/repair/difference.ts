import type { Period } from '#lambdas/platform/period.ts';
import type { CostRollup, Dimension } from '../rollups/rollup.ts';
import { isZero, subtractTotals, sumNames, type Totals } from '../rollups/totals.ts';

/** A row with its actual and its expected totals. */
export interface Difference extends Omit<CostRollup, 'totals'> {
  dimension: Dimension;
  period: Period;
  writeShard: number;
  /** The source of the expected totals: log entries, or the rows of a shorter period. */
  comparedWith: 'entries' | Period;
  /** Zero when the row is missing. */
  found: Totals;
  expected: Totals;
}

/** The comparison stops at this number: the organization has to be rebuilt anyway. */
export const maxDifferences = 1000;

/** A row with zero totals is equivalent to a missing one. */
export function isDifferent({ found, expected }: Difference): boolean {
  return !isZero(subtractTotals(found, expected));
}

export function differenceKey({ found, expected, ...row }: Difference): string {
  const { dimension, period, writeShard, startMs, value, provider, serviceTier, model } = row;
  const by = subtractTotals(found, expected);
  return JSON.stringify([
    ...[dimension, period, writeShard, startMs, value, provider, serviceTier, model],
    ...sumNames.map((name) => by[name]),
    Object.entries(by.histograms).sort(),
  ]);
}

/** The delay before each of the last two comparisons, so that a repeated difference is not a coincidence. */
export const finalRecheckDelayMs = 10_000;
