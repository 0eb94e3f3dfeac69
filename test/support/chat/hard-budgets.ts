/** Hard budgets of the fixture's key: counters in the BudgetCounters table, and where requests find them. */
import type { ApiKey, BudgetCounterRef, RequestKey } from '#lambdas/access/directory.ts';
import { changeAmounts, createCounterItem, setLimits } from '#lambdas/limits/counters/change.ts';
import { type CounterItem, unlimitedUsd } from '#lambdas/limits/counters/counter.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { type BudgetCountersTable, findCounterItem } from '#lambdas/limits/counters/table.ts';
import type { Usd } from '#lambdas/platform/money.ts';

export interface HardLimits {
  day?: Usd;
  month?: Usd;
  allowsUnpriced?: boolean;
}

export const budgetOwners = ['organization', 'key'] as const;
export type BudgetOwner = (typeof budgetOwners)[number];

export type HardLimitsByOwner = Partial<Record<BudgetOwner, HardLimits>>;

export interface HardBudgets {
  refs: Pick<RequestKey, 'organization_budget' | 'key_budget'>;
  findCounterItem(owner: BudgetOwner): Promise<CounterItem | null>;
}

export async function createHardBudgets(
  table: BudgetCountersTable,
  { id, organization_id: organizationId, budget_key_id }: ApiKey,
  limits: HardLimitsByOwner,
): Promise<HardBudgets> {
  const keys = {
    organization: counterKey({ organizationId, keyId: null }),
    key: counterKey({ organizationId, keyId: budget_key_id ?? id }),
  };
  const refOf = async (owner: BudgetOwner) => {
    const ownLimits = limits[owner];
    return ownLimits && createBudgetCounter(table, { key: keys[owner], id: `${owner}-1` }, ownLimits);
  };
  const [organization_budget, key_budget] = [await refOf('organization'), await refOf('key')];
  return {
    refs: { ...(organization_budget && { organization_budget }), ...(key_budget && { key_budget }) },
    findCounterItem: (owner) => findCounterItem(table, keys[owner]),
  };
}

async function createBudgetCounter(
  table: BudgetCountersTable,
  { key, id }: Pick<CounterItem, 'key' | 'id'>,
  { day, month, allowsUnpriced = false }: HardLimits,
): Promise<BudgetCounterRef> {
  const counter = await createCounterItem(table, { key, id, itemCount: 1, limitUsd: '0' });
  const limits = { day: day ?? unlimitedUsd, month: month ?? unlimitedUsd };
  // In 1970: the remaining budget of later periods is their limit.
  await setLimits(table, counter, { itemCount: 1, limits }, new Date(0));
  const amounts = { day: day ?? null, month: month ?? null };
  await changeAmounts(table, { keys: [key], id, amounts }, new Date(0));
  return { id, shards: 1, allows_unpriced: allowsUnpriced };
}
