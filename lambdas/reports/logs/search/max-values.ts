/** The highest value that an entry of a rollup row can have, by which rows show where high values are. */
import { maxOfHistogram } from '#lambdas/costs/rollups/histogram.ts';
import { type CostRollup, type Dimension, hasHistograms } from '#lambdas/costs/rollups/rollup.ts';
import { toUnits } from '#lambdas/platform/money.ts';
import { maxRequestMs } from '#lambdas/request-log/durations.ts';
import { type FieldRange, isDuration, type RangeField } from '../query/ranges.ts';

const noValue = -1n;

/**
 * In the units of `rangeValue`, without interrupted requests for durations; `null` if the row does not tell. It is exact to a
 * bucket for durations, unless the row counts attempts, and the sum of the row for costs and tokens.
 */
export function maxValueOf({ totals }: CostRollup, dimension: Dimension, field: RangeField): bigint | null {
  switch (field) {
    case 'cost_usd':
      return toUnits(totals.cost_usd);
    case 'total_tokens':
      return toUnits(String(totals.input_tokens + totals.output_tokens));
    case 'latency_ms':
    case 'time_to_first_token_ms': {
      if (!hasHistograms(dimension)) return null;
      // Histograms do not count attempts, which end before the first token.
      if (field === 'latency_ms' && totals.fallback_attempts > 0) return toUnits(String(maxRequestMs));
      const maxMs = maxOfHistogram(field, totals.histograms);
      return maxMs === null ? noValue : toUnits(String(maxMs));
    }
    case 'retries':
      return null;
    default:
      return field satisfies never;
  }
}

/** Whether rows can show that an hour has no entry in the range, of a query for this outcome. */
export function isInRows({ field }: Pick<FieldRange, 'field'>, outcome: string | undefined): boolean {
  return field !== 'retries' && outcome !== 'rejected' && !(isDuration(field) && outcome === 'interrupted');
}
