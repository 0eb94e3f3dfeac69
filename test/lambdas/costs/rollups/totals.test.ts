import { expect, it } from 'vitest';
import { addTotals, isZero, noTotals, subtractTotals } from '#lambdas/costs/rollups/totals.ts';

const left = { requests: 2, cost_usd: '0.3', input_tokens: 5, output_tokens: 7, unpriced_requests: 1 };
const right = { requests: 3, cost_usd: '1.25', input_tokens: 11, output_tokens: 6, unpriced_requests: 0 };

it('adds and subtracts every field', () => {
  expect(addTotals(left, right)).toEqual({
    requests: 5,
    cost_usd: '1.55',
    input_tokens: 16,
    output_tokens: 13,
    unpriced_requests: 1,
  });
  expect(subtractTotals(left, right)).toEqual({
    requests: -1,
    cost_usd: '-0.95',
    input_tokens: -6,
    output_tokens: 1,
    unpriced_requests: 1,
  });
});

it('returns true from isZero only when every field is zero', () => {
  expect(isZero(noTotals)).toBe(true);
  expect(isZero(subtractTotals(left, left))).toBe(true);
  for (const field of ['requests', 'input_tokens', 'output_tokens', 'unpriced_requests'] as const)
    expect(isZero({ ...noTotals, [field]: -1 })).toBe(false);
  expect(isZero({ ...noTotals, cost_usd: '-0.000000000001' })).toBe(false);
});
