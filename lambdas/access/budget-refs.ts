/** Stores the counters of hard budgets where requests find them: in the organization, or in the keys that spend a budget. */
import { isDeepStrictEqual } from 'node:util';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { exists, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { BudgetCounterRef } from './directory.ts';
import { attributeChange, type DirectoryTable, updateRecordIf } from './directory-table.ts';
import { organizationKey } from './item-keys.ts';
import { findSharingAccess } from './keys/replacements.ts';

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
  return changeRefs(table, target, undefined);
}

async function changeRefs(
  table: DirectoryTable,
  { organizationId, keyId }: BudgetRefTarget,
  ref: BudgetCounterRef | undefined,
): Promise<number> {
  const attribute = keyId === null ? 'budget' : 'key_budget';
  const items =
    keyId === null
      ? await batchGet(table, [organizationKey(organizationId)])
      : await findSharingAccess(table, { organizationId, keyId });
  const changed = items.filter((item) => !isDeepStrictEqual(item[attribute], ref));
  for (const { pk, sk } of changed) {
    const update = updateExpressions(attributeChange(attribute, ref), exists('pk'));
    await updateRecordIf(table, { Key: { pk, sk }, ...update });
  }
  return changed.length;
}
