/** Puts hard budgets and rate limits into effect before the first request of a key, without waiting for the functions' caches. */
import { storeBudgetRef } from '#lambdas/access/budget-refs.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { storeCounterFlag } from '#lambdas/costs/rollups/state.ts';
import type { BudgetCountersTable } from '#lambdas/limits/counters/table.ts';
import { changeRateLimits } from '#lambdas/limits/rates/changes.ts';
import { createHardBudgets, type HardLimitsByOwner } from '#test/support/chat/hard-budgets.ts';
import { byTestForm } from '#test/support/test-form.ts';

/** The limits of an organization and its key. */
export interface AppliedLimits {
  hardLimits?: HardLimitsByOwner;
  keyRateLimits: RateLimits;
}

/** More than all requests of a scenario reserve. Killed functions can use up the places of concurrent requests. */
export const ampleLimits: AppliedLimits = {
  hardLimits: { organization: { month: '200' }, key: { day: '100', month: '150' } },
  keyRateLimits: { concurrent: byTestForm({ short: 30, long: 600 }) },
};

interface LimitTables {
  directory: DirectoryTable;
  budgetCounters: BudgetCountersTable;
  costRollups: CostRollupsTable;
  audit: AuditTrail;
}

export async function applyLimits(
  { directory, budgetCounters, costRollups, audit }: LimitTables,
  apiKey: ApiKey,
  { hardLimits = {}, keyRateLimits }: AppliedLimits,
): Promise<void> {
  const { id: keyId, organization_id: organizationId } = apiKey;
  await storeCounterFlag(costRollups, organizationId, 'organization_counter');
  await storeCounterFlag(costRollups, organizationId, 'key_counters');
  const { refs } = await createHardBudgets(budgetCounters, apiKey, hardLimits);
  const { organization_budget, key_budget } = refs;
  if (organization_budget)
    await storeBudgetRef(directory, { organizationId, keyId: null }, organization_budget);
  if (key_budget) await storeBudgetRef(directory, { organizationId, keyId }, key_budget);
  await changeRateLimits(directory, { organizationId, keyId }, () => keyRateLimits, audit);
}
