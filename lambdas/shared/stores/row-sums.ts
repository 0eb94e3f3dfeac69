/** How sums are added to a row, which need not be there. */
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { Totals } from '../domain/totals.ts';

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
