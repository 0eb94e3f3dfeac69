import type { ApiKey } from '#lambdas/access/directory.ts';
import type { BudgetScope } from '#lambdas/limits/budget.ts';

/** Keys that have replaced others share the budgets of the first one. */
export function budgetScopeOf({ id, organization_id, budget_key_id }: ApiKey): BudgetScope {
  return { organizationId: organization_id, keyId: budget_key_id ?? id };
}
