/** Which sums answer a question about costs. */
import type { CostQuery } from './cost-query.ts';
import type { Period } from './period.ts';
import { type Dimension, periodsOf } from './rollup.ts';

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
