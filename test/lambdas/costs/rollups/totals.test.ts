import { expect, it } from 'vitest';
import {
  addTotals,
  amountNames,
  countNames,
  isZero,
  noTotals,
  subtractTotals,
} from '#lambdas/costs/rollups/totals.ts';

const left = {
  ...{ requests: 2, cost_usd: '0.3', input_tokens: 5, output_tokens: 7 },
  ...{ unpriced_requests: 1, assumed_requests: 4, assumed_cost_usd: '0.2' },
};
const right = {
  ...{ requests: 3, cost_usd: '1.25', input_tokens: 11, output_tokens: 6 },
  ...{ unpriced_requests: 0, assumed_requests: 1, assumed_cost_usd: '0.000000000001' },
};

it('adds and subtracts every field', () => {
  expect(addTotals(left, right)).toEqual({
    requests: 5,
    cost_usd: '1.55',
    input_tokens: 16,
    output_tokens: 13,
    unpriced_requests: 1,
    assumed_requests: 5,
    assumed_cost_usd: '0.200000000001',
  });
  expect(subtractTotals(left, right)).toEqual({
    requests: -1,
    cost_usd: '-0.95',
    input_tokens: -6,
    output_tokens: 1,
    unpriced_requests: 1,
    assumed_requests: 3,
    assumed_cost_usd: '0.199999999999',
  });
});

it('returns true from isZero only when every field is zero', () => {
  expect(isZero(noTotals)).toBe(true);
  expect(isZero(subtractTotals(left, left))).toBe(true);
  for (const field of countNames) expect(isZero({ ...noTotals, [field]: -1 })).toBe(false);
  for (const field of amountNames) expect(isZero({ ...noTotals, [field]: '-0.000000000001' })).toBe(false);
});
