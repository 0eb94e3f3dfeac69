import { expect, it } from 'vitest';
import { exceedsTolerance, maxMagnitude, percentOf } from '#lambdas/costs/reconcile/tolerance.ts';

it.each([
  ['0.01', '1', '1', false],
  ['0.010000000001', '1', '1', true],
  ['-0.010000000001', '1', '1', true],
  ['0.01', '-1', '1', false],
  ['0.005', '1', '0.5', false],
  ['0', '0', '0', false],
  ['0.000000000001', '0', '100', true],
  ['0.000000000001', '99999999', '0', true],
])('a difference of $%s from $%s is more than %s %%: %s', (difference, amount, tolerance, expected) => {
  expect(exceedsTolerance(difference, amount, tolerance)).toBe(expected);
});

it.each([
  ['1', '3', '33.33'],
  ['-2', '3', '-66.67'],
  ['-1', '-4', '-25'],
  ['-0.000001', '100', '0'],
  ['3', '2', '150'],
  ['1', '0', null],
])('$%s of $%s is %s %%', (difference, amount, percent) => {
  expect(percentOf(difference, amount)).toBe(percent);
});

it('the larger of two amounts is the one with the larger magnitude', () => {
  expect([maxMagnitude('-3', '2'), maxMagnitude('-1', '2')]).toEqual(['-3', '2']);
});
