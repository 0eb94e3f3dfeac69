import { expect, it } from 'vitest';
import {
  addTotals,
  amountNames,
  countNames,
  isZero,
  noTotals,
  subtractTotals,
  sumTotals,
  type Totals,
} from '#lambdas/costs/rollups/totals.ts';

/** The value of the nth count is `base` + n. */
function totalsFrom(base: number, rest: Pick<Totals, (typeof amountNames)[number] | 'histograms'>): Totals {
  return {
    ...noTotals,
    ...Object.fromEntries(countNames.map((name, index) => [name, base + index])),
    ...rest,
  };
}

const left = totalsFrom(100, {
  cost_usd: '0.3',
  assumed_cost_usd: '0.2',
  estimated_cost_usd: '0.1',
  histograms: { l07: 2, l08: 1, f01: 1 },
});
const right = totalsFrom(3, {
  cost_usd: '1.25',
  assumed_cost_usd: '0.000000000001',
  estimated_cost_usd: '0.02',
  histograms: { l07: 1, l08: 1, f02: 4 },
});

it('adds and subtracts every field', () => {
  expect(addTotals(left, right)).toEqual({
    ...Object.fromEntries(countNames.map((name, index) => [name, 103 + 2 * index])),
    cost_usd: '1.55',
    assumed_cost_usd: '0.200000000001',
    estimated_cost_usd: '0.12',
    histograms: { l07: 3, l08: 2, f01: 1, f02: 4 },
  });
  expect(subtractTotals(left, right)).toEqual({
    ...Object.fromEntries(countNames.map((name) => [name, 97])),
    cost_usd: '-0.95',
    assumed_cost_usd: '0.199999999999',
    estimated_cost_usd: '0.08',
    histograms: { l07: 1, f01: 1, f02: -4 },
  });
  expect(sumTotals([left, right, right])).toEqual(addTotals(addTotals(left, right), right));
  expect(sumTotals([])).toEqual(noTotals);
  expect(left.histograms).toEqual({ l07: 2, l08: 1, f01: 1 });
});

it('returns true from isZero only when every field is zero', () => {
  expect(isZero(noTotals)).toBe(true);
  expect(isZero(subtractTotals(left, left))).toBe(true);
  for (const field of countNames) expect(isZero({ ...noTotals, [field]: -1 })).toBe(false);
  for (const field of amountNames) expect(isZero({ ...noTotals, [field]: '-0.000000000001' })).toBe(false);
  expect(isZero({ ...noTotals, histograms: { f99: 1 } })).toBe(false);
});
