/** What is summed of requests. */

import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { addUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
/** Sums, or the difference of two: then numbers may be below zero. */
export interface Totals {
  requests: number;
  cost_usd: Usd;
  input_tokens: number;
  output_tokens: number;
  /** Requests with usage for which there is no price. */
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

/** Whether adding it would change nothing. */
export function isNothing({ requests, cost_usd, input_tokens, output_tokens, unpriced_requests }: Totals) {
  return (
    requests === 0 && cost_usd === '0' && input_tokens === 0 && output_tokens === 0 && unpriced_requests === 0
  );
}

// How sums are added to a row, which need not be there.

export const addSums =
  'ADD requests :requests, cost_usd :cost, input_tokens :input, output_tokens :output, unpriced_requests :unpriced';

export function sumValues(totals: Totals) {
  return {
    ':requests': totals.requests,
    ':cost': NumberValue.from(totals.cost_usd),
    ':input': totals.input_tokens,
    ':output': totals.output_tokens,
    ':unpriced': totals.unpriced_requests,
  };
}
