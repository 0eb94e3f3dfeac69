/** Creates and deletes the items of a counter. */
import { copyBudgetRef } from '#lambdas/access/budget-refs.ts';
import { type BudgetScope, counterShardCount } from '#lambdas/limits/budgets/budget.ts';
import {
  type BudgetRecord,
  deleteBudgetRecord,
  findBudgetRecord,
  listBudgetRecords,
  storeCounterId,
} from '#lambdas/limits/budgets/store.ts';
import { createCounterItem, deleteCounterItem } from '#lambdas/limits/counters/change.ts';
import { type Counter, counterKey, hasHardLimit, unlimitedUsd } from '#lambdas/limits/counters/counter.ts';
import { findCounter } from '#lambdas/limits/counters/table.ts';
import { type CounterFlag, clearCounterFlag, findRollupState, storeCounterFlag } from '../rollups/state.ts';
import { type BudgetDependencies, type CounterItems, keyPropagationMs } from './dependencies.ts';

/** Requests that have not reserved yet may still know a counter whose keys have lost it. */
const removalDelayMs = keyPropagationMs + 10_000;
const removalPollMs = 1000;

/** Creates what is missing. */
export async function ensureCounter(
  dependencies: BudgetDependencies,
  record: BudgetRecord,
): Promise<CounterItems> {
  const { scope } = record;
  const id = await counterIdOf(dependencies, record);
  const logShards = await dependencies.logShardsOf(scope.organizationId);
  const shards = scope.keyId === null ? counterShardCount(logShards) : 1;
  const stored = await findCounter(dependencies.budgetCounters, counterKey(scope));
  const isNew = stored?.id !== id;
  if (isNew) {
    // The rollup function must look for the counter before it exists.
    await storeCounterFlag(dependencies.costRollups, scope.organizationId, flagOf(scope));
  }
  // Items of a new counter are not limited before all are. Later ones have a limit of 0 until the limits are divided again.
  const limitUsd = isNew ? unlimitedUsd : '0';
  const items: Counter[] = [];
  // The first one last: it shows that all exist.
  for (let shard = shards - 1; shard >= 0; shard--) {
    const key = counterKey(scope, shard);
    const existing = await findCounter(dependencies.budgetCounters, key);
    const item =
      existing?.id === id
        ? existing
        : await createCounterItem(dependencies.budgetCounters, { key, id, shards, limitUsd });
    items.unshift({ ...item, shards });
  }
  const [first, ...others] = items;
  if (first === undefined) throw new Error('A counter has at least one item');
  return [first, ...others];
}

async function counterIdOf(
  { directory, newCounterId }: BudgetDependencies,
  record: BudgetRecord,
): Promise<string> {
  if (record.counterId !== null) return record.counterId;
  const id = newCounterId();
  if (await storeCounterId(directory, record, id)) return id;
  const counterId = (await findBudgetRecord(directory, record.scope))?.counterId;
  if (counterId == null) throw new Error('The budget was removed: it is applied again');
  return counterId;
}

/** Resolves to `false` if there are budgets again. */
export async function removeCounter(
  dependencies: BudgetDependencies,
  scope: BudgetScope,
  record: BudgetRecord | null,
): Promise<boolean> {
  const { directory, budgetCounters, wait } = dependencies;
  const changedKeys = await copyBudgetRef(directory, scope, null);
  const first = await findCounter(budgetCounters, counterKey(scope));
  if (first !== null && (changedKeys > 0 || hasHardLimit(first))) {
    for (let waitedMs = 0; waitedMs < removalDelayMs; waitedMs += removalPollMs) {
      await wait(removalPollMs);
      const { revision } = (await findBudgetRecord(directory, scope)) ?? {};
      if (revision !== record?.revision) return false;
    }
    await copyBudgetRef(directory, scope, null);
  }
  if (record !== null && !(await deleteBudgetRecord(directory, record))) return false;
  if (record === null && (await findBudgetRecord(directory, scope)) !== null) return false;
  for (let shard = (first?.shards ?? 0) - 1; shard >= 0; shard--) {
    await deleteCounterItem(budgetCounters, counterKey(scope, shard));
  }
  await clearFlag(dependencies, scope);
  return true;
}

function flagOf({ keyId }: BudgetScope): CounterFlag {
  return keyId === null ? 'organization_counter' : 'key_counters';
}

/** If no other key has budgets. */
async function clearFlag({ directory, costRollups }: BudgetDependencies, scope: BudgetScope): Promise<void> {
  const { organizationId } = scope;
  const { flagChanges = 0 } = (await findRollupState(costRollups, organizationId)).counters ?? {};
  const flag = flagOf(scope);
  const records = await listBudgetRecords(directory, organizationId);
  if (records.some((record) => flagOf(record.scope) === flag)) return;
  await clearCounterFlag(costRollups, organizationId, { flag, flagChanges });
}
