import { describe, expect, it } from 'vitest';
import { monthTitle, parseBillingSearch, recentMonths } from '#dashboard/billing/months.ts';
import { barShares, verdictOf } from '#dashboard/billing/projection-card.tsx';
import { decimalsOf, maxDecimals } from '#dashboard/billing/statement-table.tsx';
import type { Projection } from '#lambdas/accounts/analytics/responses.ts';

describe('Months', () => {
  it('are those of UTC, the newest first', () => {
    expect(recentMonths(new Date('2026-01-31T23:30:00-05:00'), 3)).toEqual(['2026-02', '2026-01', '2025-12']);
    expect(recentMonths(new Date('2026-03-31T12:00:00Z'), 2)).toEqual(['2026-03', '2026-02']);
  });

  it('have names, unless a link has made them up', () => {
    expect(monthTitle('2026-11', 'en-GB')).toBe('November 2026');
    expect(monthTitle('2026-13', 'en-GB')).toBe('2026-13');
  });

  it.each([
    ['2026-11', '2026-11'],
    ['2026-13', undefined],
    ['2026-1', undefined],
    [undefined, undefined],
  ])('in the link: %s is read as %s', (month, expected) => {
    expect(parseBillingSearch({ month })).toEqual({ month: expected });
  });
});

const projection: Projection = {
  month: '2026-11',
  complete_until: '2026-11-23T12:00:00.000Z',
  elapsed_share: 0.75,
  spent_usd: '150',
  unpriced_requests: 0,
  uncertain_cost_share: 0.04,
  projected_usd: '200',
  budget: { amount_usd: '400', hard: true, projected_percent: 50 },
};
const budgetOf = (amount: string) => ({ amount_usd: amount, hard: true, projected_percent: 100 });

describe('The projection', () => {
  it.each([
    ['within a larger budget', projection, 'within'],
    ['within an equal budget', { ...projection, budget: budgetOf('200.00') }, 'within'],
    ['above by the last digit', { ...projection, budget: budgetOf('199.999999999999') }, 'above'],
    ['unknown without a projection', { ...projection, projected_usd: null }, null],
    ['unknown without a budget', { ...projection, budget: null }, null],
  ])('is %s', (_case, shown, verdict) => {
    expect(verdictOf(shown)).toBe(verdict);
  });

  it.each([
    ['within the budget', projection, { spent: 37.5, projected: 50, budget: 100 }],
    ['above it', { ...projection, budget: budgetOf('160') }, { spent: 75, projected: 100, budget: 80 }],
    ['without one', { ...projection, budget: null }, { spent: 75, projected: 100, budget: null }],
    [
      'early in the month',
      { ...projection, projected_usd: null },
      { spent: 37.5, projected: null, budget: 100 },
    ],
    [
      'of nothing',
      { ...projection, spent_usd: '0', projected_usd: '0', budget: null },
      { spent: 0, projected: 0, budget: null },
    ],
  ])('is drawn %s', (_case, shown, shares) => {
    expect(barShares(shown)).toEqual(shares);
  });
});

describe('A statement', () => {
  it('aligns amounts on the decimal point', () => {
    expect(['12', '0.5', '0.123', '7.000000000001'].map(decimalsOf)).toEqual([2, 2, 3, 12]);
    expect(maxDecimals(['12', '0.1234'])).toBe(4);
    expect(maxDecimals([])).toBe(2);
  });
});
