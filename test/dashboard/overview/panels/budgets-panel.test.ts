import { describe, expect, it } from 'vitest';
import { closeBudgets } from '#dashboard/overview/panels/budgets-panel.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';

const budget: BudgetSummary = {
  api_key_id: null,
  api_key_name: null,
  period: 'month',
  amount_usd: '100',
  hard: true,
  allow_unpriced: false,
  state: 'active',
  period_start: '2026-11-01T00:00:00Z',
  period_end: '2026-12-01T00:00:00Z',
  spent_usd: '0',
  reserved_usd: '0',
  spent_percent: 0,
};

describe('The budgets of the overview', () => {
  it('are those of which 80 % are spent, the most exhausted first', () => {
    const budgets = [79, 80, null, 112, 95].map((percent) => ({ ...budget, spent_percent: percent }));

    expect(closeBudgets(budgets).map(({ spent_percent: percent }) => percent)).toEqual([112, 95, 80]);
  });
});
