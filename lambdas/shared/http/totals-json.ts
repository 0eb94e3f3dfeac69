/** Sums as the API shows them. */
import type { Totals } from '../domain/totals.ts';
import { usdJson } from './usd-json.ts';

export function totalsJson({ requests, cost_usd, input_tokens, output_tokens, unpriced_requests }: Totals) {
  return { requests, cost_usd: usdJson(cost_usd), input_tokens, output_tokens, unpriced_requests };
}
