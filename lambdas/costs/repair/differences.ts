/** Where rollups are not what they should be. */
import type { Period } from '../rollups/period.ts';
import type { CostRollup, Dimension } from '../rollups/rollup.ts';
import { isNothing, subtractTotals, type Totals } from '../rollups/totals.ts';

/** A row, and what it should be. */
export interface Difference extends Omit<CostRollup, 'totals'> {
  dimension: Dimension;
  period: Period;
  writeShard: number;
  /** What a row should be the sum of. */
  comparedWith: 'entries' | Period;
  /** What the row says; nothing where there is none. */
  found: Totals;
  expected: Totals;
}

/** So many of an organization say it all: nothing more is compared then. */
export const mostDifferences = 1000;

/** Whether there is one. A row that adds up to nothing is as good as none. */
export function isDifferent({ found, expected }: Difference): boolean {
  return !isNothing(subtractTotals(found, expected));
}

/** The same for rows that are the same and as much too high or too low. */
export function nameOfDifference({ found, expected, ...row }: Difference): string {
  const { dimension, period, writeShard, startMs, value, provider, model } = row;
  const by = subtractTotals(found, expected);
  return JSON.stringify([
    ...[dimension, period, writeShard, startMs, value, provider, model],
    ...[by.requests, by.cost_usd, by.input_tokens, by.output_tokens, by.unpriced_requests],
  ]);
}
