/** The answer of `GET /api/costs`. */
import { addTotals, noTotals, type Totals } from './rollup.ts';
import type { Usd } from './usd.ts';

export interface CostSummary {
  total_requests: number;
  total_cost_usd: Usd;
  total_input_tokens: number;
  total_output_tokens: number;
  unpriced_requests: number;
  /** By model name without the provider prefix. */
  by_model: Record<string, Totals>;
}

export function summarizeCosts(parts: Iterable<{ model: string; totals: Totals }>): CostSummary {
  const byModel = new Map<string, Totals>();
  let all = noTotals;
  for (const { model, totals } of parts) {
    byModel.set(model, addTotals(byModel.get(model) ?? noTotals, totals));
    all = addTotals(all, totals);
  }
  return {
    total_requests: all.requests,
    total_cost_usd: all.cost_usd,
    total_input_tokens: all.input_tokens,
    total_output_tokens: all.output_tokens,
    unpriced_requests: all.unpriced_requests,
    by_model: Object.fromEntries([...byModel].sort(([left], [right]) => (left < right ? -1 : 1))),
  };
}
