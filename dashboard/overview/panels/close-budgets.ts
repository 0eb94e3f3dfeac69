import { spendingLevel } from '#dashboard/components/spending-bar.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';

const maxBudgets = 3;

/** Returns the budgets that are reached or of which 80 % are spent, the most exhausted first. */
export function closeBudgets(budgets: readonly BudgetSummary[]): BudgetSummary[] {
  return budgets
    .filter((budget) => spendingLevel(budget) !== 'normal')
    .toSorted((one, other) => (other.spent_percent ?? 0) - (one.spent_percent ?? 0))
    .slice(0, maxBudgets);
}
