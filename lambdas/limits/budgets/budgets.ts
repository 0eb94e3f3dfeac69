/** Sets, lists and removes budgets: what the command line and the dashboard call. */
import { isDeepStrictEqual } from 'node:util';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { createApiKeyReader } from '#lambdas/access/keys/read.ts';
import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { AuditAction, AuditEvent, AuditValues } from '#lambdas/audit/record.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { maxConnections } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { addUsd, type Usd } from '#lambdas/platform/money.ts';
import { parsePeriodText } from '#lambdas/platform/period.ts';
import {
  type CounterItem,
  type CounterItems,
  periodEndMs,
  periodOfCounter,
  periodsAt,
  reservedUsd,
} from '../counters/counter.ts';
import { counterKey } from '../counters/keys.ts';
import { type BudgetCountersTable, findCounterItem, findCounterItems } from '../counters/table.ts';
import {
  type Budget,
  type BudgetPeriod,
  type BudgetScope,
  type BudgetThreshold,
  budgetPeriods,
  budgetThresholds,
} from './budget.ts';
import type { BudgetChangesTable } from './pending-changes.ts';
import {
  type BudgetRecord,
  findBudgetRecord,
  listBudgetRecords,
  removalItems,
  settingItems,
} from './store.ts';

export interface BudgetTables {
  directoryTable: BudgetChangesTable;
  budgetCounters: BudgetCountersTable;
}

export interface BudgetStatus extends Budget {
  scope: BudgetScope;
  period: BudgetPeriod;
  /** A change of a budget takes up to 30 seconds. Until then, the earlier budget is in effect, or none. */
  state: 'activating' | 'active';
  /** The current period, in milliseconds since 1970; the end is exclusive. */
  startMs: number;
  endMs: number;
  /** `null` while a new budget is activating. */
  spentUsd: Usd | null;
  /** For requests that have not ended, of any period; `null` like `spentUsd`. */
  reservedUsd: Usd | null;
  /** The thresholds whose events were sent in this period. */
  events: readonly BudgetThreshold[];
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

/** The organization's own budgets first. */
export async function listBudgets(
  { directoryTable, budgetCounters }: BudgetTables,
  organizationId: string,
  now: Date,
): Promise<BudgetStatus[]> {
  const records = await listBudgetRecords(directoryTable, organizationId);
  const counters = new Map<BudgetRecord, CounterItems>();
  await forEachConcurrently(records, maxConnections, async (record) => {
    const { scope, counterId } = record;
    const first = await findCounterItem(budgetCounters, counterKey(scope));
    if (first === null || first.id !== counterId) return;
    counters.set(record, await findCounterItems(budgetCounters, scope, first));
  });
  return records.flatMap((record) =>
    budgetPeriods.flatMap((period) => {
      const budget = record.budgets[period];
      return budget === undefined ? [] : statusOf(record, period, budget, counters.get(record) ?? [], now);
    }),
  );
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

function statusOf(
  { scope, revision, appliedRevision }: BudgetRecord,
  period: BudgetPeriod,
  budget: Budget,
  items: readonly CounterItem[],
  now: Date,
): BudgetStatus {
  const currentPeriod = periodsAt(now.getTime())[period];
  const counted = appliedRevision === 0 ? [] : items;
  const [first] = counted;
  const sum = (amounts: Usd[]) => (amounts.length === 0 ? null : amounts.reduce(addUsd));
  const notified = first === undefined ? 0 : periodOfCounter(first, currentPeriod).notifiedPercent;
  return {
    ...budget,
    scope,
    period,
    state: revision === appliedRevision ? 'active' : 'activating',
    startMs: parsePeriodText(currentPeriod),
    endMs: periodEndMs(currentPeriod),
    spentUsd: sum(counted.map((counter) => periodOfCounter(counter, currentPeriod).spentUsd)),
    reservedUsd: sum(counted.map(reservedUsd)),
    events: budgetThresholds.filter((threshold) => threshold <= notified),
  };
}
