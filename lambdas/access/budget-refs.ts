/** Copies the counters of hard budgets to the keys whose requests reserve from them. */
import { isDeepStrictEqual } from 'node:util';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { exists, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import { maxConnections } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { BudgetCounterRef } from './directory.ts';
import { type DirectoryTable, organizationKey, recordKeyOf, updateRecordIf } from './directory-table.ts';
import { listKeyRecords } from './keys/read.ts';

interface BudgetRefTarget {
  organizationId: string;
  /** `null` for all keys of the organization. */
  keyId: string | null;
}

/**
 * Resolves to the number of keys that had another counter, or none. A replacement that is created meanwhile may have the counter
 * of before: call it again later, until it resolves to 0.
 */
export function copyBudgetRef(
  table: DirectoryTable,
  target: BudgetRefTarget,
  ref: BudgetCounterRef,
): Promise<number> {
  return storeRefs(table, target, ref);
}

/** Like `copyBudgetRef`, when the budgets are not hard, or removed. */
export function removeBudgetRef(table: DirectoryTable, target: BudgetRefTarget): Promise<number> {
  return storeRefs(table, target, null);
}

async function storeRefs(
  table: DirectoryTable,
  { organizationId, keyId }: BudgetRefTarget,
  ref: BudgetCounterRef | null,
): Promise<number> {
  if (keyId === null) await storeRef(table, organizationKey(organizationId), 'budget', ref);
  const attribute = keyId === null ? 'organization_budget' : 'key_budget';
  const keys = await listKeyRecords(table, organizationId);
  const changed = keys.filter(
    (key) =>
      (keyId === null || key.id === keyId || key.budget_key_id === keyId) &&
      !isDeepStrictEqual(key[attribute] ?? null, ref),
  );
  await forEachConcurrently(changed, maxConnections, (key) =>
    storeRef(table, recordKeyOf(key), attribute, ref),
  );
  return changed.length;
}

/** The keys that spend the budgets of a key: itself, and those that have replaced it. */
export async function keysOfBudget(
  table: DirectoryTable,
  { organizationId, keyId }: { organizationId: string; keyId: string },
): Promise<string[]> {
  const keys = await listKeyRecords(table, organizationId);
  const replacements = keys
    .filter(({ budget_key_id }) => budget_key_id === keyId)
    .map(({ id }) => String(id));
  return [keyId, ...replacements];
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
