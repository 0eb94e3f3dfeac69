import { expect, it } from 'vitest';
import type { PricesInTurn } from '#lambdas/pricing/find-model.ts';
import { pricesAt } from '#lambdas/pricing/price-table.ts';

const priced = (input: number) => ({ prices: { input } });

/** One price, another from August on, a third in the morning and a fourth around midnight. */
const inTurn: PricesInTurn = [
  priced(1),
  { from: '2026-08-17', ...priced(2) },
  { between: ['06:00:00', '10:00:00'], ...priced(3) },
  { between: ['23:30:00', '00:15:00'], ...priced(4) },
];

it.each([
  ['2026-08-16T23:29:59.999Z', 1],
  ['2026-08-16T23:30:00Z', 4],
  ['2026-08-17T00:14:59.999Z', 4],
  ['2026-08-17T00:15:00Z', 2],
  ['2026-08-17T05:59:59.999Z', 2],
  ['2026-08-17T06:00:00Z', 3],
  ['2026-08-17T09:59:59.999Z', 3],
  ['2026-08-17T10:00:00Z', 2],
  ['2025-01-01T06:00:00Z', 3],
  ['2025-01-01T12:00:00Z', 1],
])('takes at %s the last price that holds: %i', (at, input) => {
  expect(pricesAt(inTurn, new Date(at))).toEqual({ input });
});

it('takes the first price where none holds', () => {
  const later: PricesInTurn = [
    { from: '2026-01-01', ...priced(1) },
    { from: '2026-02-01', ...priced(2) },
  ];
  expect(pricesAt(later, new Date('2025-12-31T23:59:59Z'))).toEqual({ input: 1 });
});

it('takes prices without a date at any time', () => {
  expect(pricesAt({ input: 1, output: [2, [200_000, 3]] }, new Date(0))).toEqual({
    input: 1,
    output: [2, [200_000, 3]],
  });
});
