/** Sets and removes budgets: what the command line and the dashboard call. */
import { isDeepStrictEqual } from 'node:util';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { createApiKeyReader } from '#lambdas/access/keys/read.ts';
import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { AuditAction, AuditEvent, AuditValues } from '#lambdas/audit/record.ts';
import type { BudgetCountersTable } from '../counters/table.ts';
import type { Budget, BudgetPeriod, BudgetScope } from './budget.ts';
import type { BudgetChangesTable } from './pending-changes.ts';
import { findBudgetRecord, removalItems, settingItems } from './store.ts';

export interface BudgetTables {
  directoryTable: BudgetChangesTable;
  budgetCounters: BudgetCountersTable;
}

/**
 * Returns at once. The budget takes effect within 30 seconds, and includes what its period has already cost. A budget that is
 * the same changes nothing, and has no audit record.
 */
export async function setBudget(
  { directoryTable }: BudgetTables,
  scope: BudgetScope,
  period: BudgetPeriod,
  budget: Budget,
  audit: AuditTrail,
): Promise<void> {
  const target = { scope, period, keyName: await findKeyName(directoryTable, scope) };
  for (;;) {
    const record = await findBudgetRecord(directoryTable, scope);
    const before = record?.budgets[period] ?? null;
    if (isDeepStrictEqual(before, budget)) return;
    const event = budgetEvent('budget.set', target, { before, after: budget });
    const items = settingItems(directoryTable, scope, record, period, budget);
    if ((await audit.transact({ event, items })).length === 0) return;
  }
}

/** Resolves to `false` if there is no such budget. */
export async function removeBudget(
  { directoryTable }: BudgetTables,
  scope: BudgetScope,
  period: BudgetPeriod,
  audit: AuditTrail,
): Promise<boolean> {
  const target = { scope, period, keyName: await findKeyName(directoryTable, scope) };
  for (;;) {
    const record = await findBudgetRecord(directoryTable, scope);
    const before = record?.budgets[period];
    if (record === null || before === undefined) return false;
    const event = budgetEvent('budget.removed', target, { before, after: null });
    const items = removalItems(directoryTable, record, period);
    if ((await audit.transact({ event, items })).length === 0) return true;
  }
}

/** The budget of a key that is created in the same transaction. */
export function newKeyBudget(
  { directoryTable }: BudgetTables,
  scope: BudgetScope,
  period: BudgetPeriod,
  budget: Budget,
  keyName: string | null = null,
): AuditedChange {
  return {
    event: budgetEvent('budget.set', { scope, period, keyName }, { before: null, after: budget }),
    items: settingItems(directoryTable, scope, null, period, budget),
  };
}

async function findKeyName(directoryTable: DirectoryTable, scope: BudgetScope): Promise<string | null> {
  const { organizationId, keyId } = scope;
  if (keyId === null) return null;
  return (await createApiKeyReader(directoryTable).findApiKey(organizationId, keyId))?.name ?? null;
}

interface BudgetTarget {
  scope: BudgetScope;
  period: BudgetPeriod;
  keyName: string | null;
}

function budgetEvent(
  action: AuditAction,
  { scope: { organizationId, keyId }, period, keyName }: BudgetTarget,
  { before, after }: Record<'before' | 'after', Budget | null>,
): AuditEvent {
  const valuesOf = (budget: Budget | null): AuditValues | null =>
    budget && {
      amount_usd: budget.amountUsd,
      hard: budget.hard,
      allow_unpriced: budget.allowsUnpriced,
      period,
      api_key_id: keyId,
    };
  return {
    action,
    organizationId,
    target: { type: 'budget', id: `${keyId ?? organizationId}/${period}`, name: keyName },
    before: valuesOf(before),
    after: valuesOf(after),
  };
}
