/** Differences between rollup rows and the sums that they should be, as every comparison reports them. */

import type { Period } from '../rollups/period.ts';
import type { CostRollup, Dimension } from '../rollups/rollup.ts';
import { isZero, subtractTotals, type Totals } from '../rollups/totals.ts';

/** A row and the sum that it should be. */
export interface Difference extends Omit<CostRollup, 'totals'> {
  dimension: Dimension;
  period: Period;
  writeShard: number;
  /** The entries or rows whose sum the row should be. */
  comparedWith: 'entries' | Period;
  /** Zero where there is no such row. */
  found: Totals;
  expected: Totals;
}

/** An organization with this many differences has to be rebuilt anyway, so nothing more of it is compared. */
export const maxDifferences = 1000;

/** A row with zero totals is equivalent to a missing one. */
export function isDifferent({ found, expected }: Difference): boolean {
  return !isZero(subtractTotals(found, expected));
}

/** Equal for the same row with the same deviation. */
export function differenceKey({ found, expected, ...row }: Difference): string {
  const { dimension, period, writeShard, startMs, value, provider, model } = row;
  const by = subtractTotals(found, expected);
  return JSON.stringify([
    ...[dimension, period, writeShard, startMs, value, provider, model],
    ...[by.requests, by.cost_usd, by.input_tokens, by.output_tokens, by.unpriced_requests],
  ]);
}
