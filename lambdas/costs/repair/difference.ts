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
  actual: Totals;
  expected: Totals;
}

/** The comparison stops at this number: the organization has to be rebuilt anyway. */
export const maxDifferences = 1000;

/** A row with zero totals is equivalent to a missing one. */
export function isDifferent({ actual, expected }: Difference): boolean {
  return !isZero(subtractTotals(actual, expected));
}

export function differenceKey({ actual, expected, ...row }: Difference): string {
  const { dimension, period, writeShard, startMs, value, provider, operation, serviceTier, model } = row;
  const by = subtractTotals(actual, expected);
  return JSON.stringify([
    dimension,
    period,
    writeShard,
    startMs,
    value,
    provider,
    operation,
    serviceTier,
    model,
    ...sumNames.map((name) => by[name]),
    Object.entries(by.histograms).sort(),
  ]);
}
