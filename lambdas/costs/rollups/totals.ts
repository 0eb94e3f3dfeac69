import { addUsd, subtractUsd, type Usd, usdJson } from '#lambdas/platform/money.ts';

/** The totals of a set of requests, or the difference between two such totals, which can be negative. */
export interface Totals {
  requests: number;
  cost_usd: Usd;
  input_tokens: number;
  output_tokens: number;
  /** Requests that have usage but no known price. */
  unpriced_requests: number;
}

export const noTotals: Totals = {
  requests: 0,
  cost_usd: '0',
  input_tokens: 0,
  output_tokens: 0,
  unpriced_requests: 0,
};

export function addTotals(left: Totals, right: Totals): Totals {
  return {
    requests: left.requests + right.requests,
    cost_usd: addUsd(left.cost_usd, right.cost_usd),
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    unpriced_requests: left.unpriced_requests + right.unpriced_requests,
  };
}

export function subtractTotals(left: Totals, right: Totals): Totals {
  return {
    requests: left.requests - right.requests,
    cost_usd: subtractUsd(left.cost_usd, right.cost_usd),
    input_tokens: left.input_tokens - right.input_tokens,
    output_tokens: left.output_tokens - right.output_tokens,
    unpriced_requests: left.unpriced_requests - right.unpriced_requests,
  };
}

export function isZero({ requests, cost_usd, input_tokens, output_tokens, unpriced_requests }: Totals) {
  return (
    requests === 0 && cost_usd === '0' && input_tokens === 0 && output_tokens === 0 && unpriced_requests === 0
  );
}

export function totalsJson({ requests, cost_usd, input_tokens, output_tokens, unpriced_requests }: Totals) {
  return { requests, cost_usd: usdJson(cost_usd), input_tokens, output_tokens, unpriced_requests };
}
