import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';

/** @param organizationName for the organization's own budgets */
export function ownerName(budget: BudgetSummary, organizationName: string): string {
  if (budget.api_key_id === null) return organizationName;
  return budget.api_key_name ?? budget.api_key_id;
}

export function periodAdjective({ period }: BudgetSummary): 'daily' | 'monthly' {
  return period === 'day' ? 'daily' : 'monthly';
}
