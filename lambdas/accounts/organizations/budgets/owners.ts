import type { ApiKey } from '#lambdas/access/directory.ts';
import { byCreation } from '#lambdas/access/directory-table.ts';
import type { BudgetStatus } from '#lambdas/limits/budgets/status.ts';
import type { OrganizationDependencies } from '../call.ts';
import type { BudgetSummary } from '../responses.ts';
import { summarizeBudgets } from './summary.ts';

/** Replacements give their name to the budgets of a key that is revoked, or is about to be. */
export type ReplacementsToRead = 'of revoked' | 'of all';

/** The keys that the budgets are named after, the oldest first. Of at most 100 keys. */
export async function readBudgetOwners(
  { directory }: Pick<OrganizationDependencies, 'directory'>,
  organizationId: string,
  { budgets, replacements }: { budgets: readonly BudgetStatus[]; replacements: ReplacementsToRead },
): Promise<ApiKey[]> {
  const firstIds = [...new Set(budgets.flatMap(({ scope }) => scope.keyId ?? []))];
  if (firstIds.length === 0) return [];
  const reader = directory;
  const firstKeys = await reader.findApiKeys(organizationId, firstIds);
  const replaced = firstKeys.filter(({ revoked_at }) => revoked_at !== null || replacements === 'of all');
  const lists = await Promise.all(replaced.map(({ id }) => reader.listReplacements(organizationId, id)));
  return [...firstKeys, ...lists.flat()].sort(byCreation);
}

/** In the same order. */
export async function readBudgetSummaries(
  dependencies: Pick<OrganizationDependencies, 'directory'>,
  organizationId: string,
  budgets: readonly BudgetStatus[],
): Promise<BudgetSummary[]> {
  const owners = await readBudgetOwners(dependencies, organizationId, {
    budgets,
    replacements: 'of revoked',
  });
  return summarizeBudgets(budgets, owners);
}
