/** Stores the counters of hard budgets where requests find them: in the organization, or in the keys that spend a budget. */
import { isDeepStrictEqual } from 'node:util';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { exists, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { BudgetCounterRef } from './directory.ts';
import { type DirectoryTable, updateRecordIf } from './directory-table.ts';
import { keyAccessKey, organizationKey } from './item-keys.ts';
import { findKeyRecords, listReplacementIds } from './keys/read.ts';

interface BudgetRefTarget {
  organizationId: string;
  /** `null` for the budgets of the whole organization. */
  keyId: string | null;
}

/**
 * Resolves to the number of items that had another counter, or none. A replacement that is created meanwhile may have the counter
 * of before: call it again later, until it resolves to 0.
 */
export function storeBudgetRef(
  table: DirectoryTable,
  target: BudgetRefTarget,
  ref: BudgetCounterRef,
): Promise<number> {
  return changeRefs(table, target, ref);
}

/** Like `storeBudgetRef`, when the budgets are not hard, or removed. */
export function removeBudgetRef(table: DirectoryTable, target: BudgetRefTarget): Promise<number> {
  return changeRefs(table, target, null);
}

async function changeRefs(
  table: DirectoryTable,
  { organizationId, keyId }: BudgetRefTarget,
  ref: BudgetCounterRef | null,
): Promise<number> {
  const attribute = keyId === null ? 'budget' : 'key_budget';
  const itemKeys =
    keyId === null
      ? [organizationKey(organizationId)]
      : await accessKeysOfBudget(table, { organizationId, keyId });
  const items = await batchGet(table, itemKeys);
  const changed = items.filter((item) => !isDeepStrictEqual(item[attribute] ?? null, ref));
  for (const { pk, sk } of changed) await storeRef(table, { pk, sk }, attribute, ref);
  return changed.length;
}

interface KeyOfBudget {
  organizationId: string;
  keyId: string;
}

/** The keys that spend the budgets of a key: itself, and those that have replaced it. */
export async function keysOfBudget(
  table: DirectoryTable,
  { organizationId, keyId }: KeyOfBudget,
): Promise<string[]> {
  return [keyId, ...(await listReplacementIds(table, organizationId, keyId))];
}

async function accessKeysOfBudget(table: DirectoryTable, key: KeyOfBudget): Promise<Item[]> {
  const records = await findKeyRecords(table, key.organizationId, await keysOfBudget(table, key));
  return records.map(({ keyHash }) => keyAccessKey(keyHash));
}

async function storeRef(
  table: DirectoryTable,
  key: Item,
  attribute: string,
  ref: BudgetCounterRef | null,
): Promise<void> {
  const changes = ref === null ? { remove: [attribute] } : { set: { [attribute]: ref } };
  await updateRecordIf(table, { Key: key, ...updateExpressions(changes, exists('pk')) });
}
