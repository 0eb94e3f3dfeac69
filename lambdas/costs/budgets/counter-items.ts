/** Creates counters, and removes them together with the record of their budgets. */
import { removeBudgetRef } from '#lambdas/access/budget-refs.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import {
  type BudgetRecord,
  deleteBudgetRecord,
  findBudgetRecord,
  queryBudgetRecords,
  storeCounterId,
} from '#lambdas/limits/budgets/store.ts';
import { createCounterItem, deleteCounterItem } from '#lambdas/limits/counters/change.ts';
import {
  type CounterItem,
  type CounterItems,
  hasHardLimit,
  unlimitedUsd,
} from '#lambdas/limits/counters/counter.ts';
import { counterItemCount, counterKey } from '#lambdas/limits/counters/keys.ts';
import { findCounterItem } from '#lambdas/limits/counters/table.ts';
import { type CounterFlag, clearCounterFlag, findRollupState, storeCounterFlag } from '../rollups/state.ts';
import { type BudgetDependencies, keyPropagationMs } from './dependencies.ts';

/** A request may still reserve with a reference that was removed from its key. */
const removalDelayMs = keyPropagationMs + 10_000;
const removalPollMs = 1000;

/** Creates what is missing. */
export async function ensureCounter(
  dependencies: BudgetDependencies,
  record: BudgetRecord,
): Promise<CounterItems> {
  const { scope } = record;
  const id = await ensureCounterId(dependencies, record);
  const itemCount = counterItemCount(await dependencies.logShardsOf(scope.organizationId));
  const stored = await findCounterItem(dependencies.budgetCounters, counterKey(scope));
  const isNew = stored?.id !== id;
  if (isNew) {
    // The rollup function must look for the counter before it exists.
    await storeCounterFlag(dependencies.costRollups, scope.organizationId, flagOf(scope));
  }
  // Items of a new counter are not limited before all are. Later ones have a limit of 0 until the limits are divided again.
  const limitUsd = isNew ? unlimitedUsd : '0';
  const items: CounterItem[] = [];
  // The first one last: it shows that all exist.
  for (let index = itemCount - 1; index >= 0; index--) {
    const key = counterKey(scope, index);
    const existing = await findCounterItem(dependencies.budgetCounters, key);
    const item =
      existing?.id === id
        ? existing
        : await createCounterItem(dependencies.budgetCounters, { key, id, itemCount, limitUsd });
    items.unshift({ ...item, itemCount });
  }
  const [first, ...others] = items;
  if (first === undefined) throw new Error('A counter has at least one item');
  return [first, ...others];
}

async function ensureCounterId(
  { directoryTable, newCounterId }: BudgetDependencies,
  record: BudgetRecord,
): Promise<string> {
  if (record.counterId !== null) return record.counterId;
  const id = newCounterId();
  if (await storeCounterId(directoryTable, record, id)) return id;
  const counterId = (await findBudgetRecord(directoryTable, record.scope))?.counterId;
  if (counterId == null) throw new Error('The budgets were removed meanwhile: the change is retried');
  return counterId;
}

/** Also deletes the record of the removed budgets. Resolves to `false` if there are budgets again. */
export async function removeCounter(
  dependencies: BudgetDependencies,
  scope: BudgetScope,
  record: BudgetRecord | null,
): Promise<boolean> {
  const { directoryTable, budgetCounters } = dependencies;
  const changedKeys = await removeBudgetRef(directoryTable, scope);
  const first = await findCounterItem(budgetCounters, counterKey(scope));
  if (first !== null && (changedKeys > 0 || hasHardLimit(first))) {
    if (!(await waitUntilUnused(dependencies, scope, record))) return false;
    await removeBudgetRef(directoryTable, scope);
  }
  if (record !== null && !(await deleteBudgetRecord(directoryTable, record))) return false;
  if (record === null && (await findBudgetRecord(directoryTable, scope)) !== null) return false;
  for (let index = (first?.itemCount ?? 0) - 1; index >= 0; index--) {
    await deleteCounterItem(budgetCounters, counterKey(scope, index));
  }
  await clearFlag(dependencies, scope);
  return true;
}

/** Resolves to `false` as soon as the record has changed. */
async function waitUntilUnused(
  { directoryTable, wait }: BudgetDependencies,
  scope: BudgetScope,
  record: BudgetRecord | null,
): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < removalDelayMs; waitedMs += removalPollMs) {
    await wait(removalPollMs);
    const { revision } = (await findBudgetRecord(directoryTable, scope)) ?? {};
    if (revision !== record?.revision) return false;
  }
  return true;
}

function flagOf({ keyId }: BudgetScope): CounterFlag {
  return keyId === null ? 'organization_counter' : 'key_counters';
}

/** Does nothing while other budgets need the flag. */
async function clearFlag(
  { directoryTable, costRollups }: BudgetDependencies,
  scope: BudgetScope,
): Promise<void> {
  const { organizationId } = scope;
  const { flagChanges = 0 } = (await findRollupState(costRollups, organizationId)).counters ?? {};
  const flag = flagOf(scope);
  // The organization's own are first, those of keys follow.
  const { records } = await queryBudgetRecords(directoryTable, { organizationId, after: null, limit: 2 });
  if (records.some((record) => flagOf(record.scope) === flag)) return;
  await clearCounterFlag(costRollups, organizationId, { flag, flagChanges });
}
