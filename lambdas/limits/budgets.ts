/** Sets, lists and removes budgets: what the command line and the dashboard call. */
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { addUsd, type Usd } from '#lambdas/platform/money.ts';
import { parsePeriodText } from '#lambdas/platform/period.ts';
import {
  type Budget,
  type BudgetPeriod,
  type BudgetScope,
  type BudgetThreshold,
  budgetPeriods,
  budgetThresholds,
} from './budget.ts';
import { type BudgetRecord, listBudgetRecords, storeBudget, storeRemoval } from './budget-store.ts';
import { type Counter, counterKey, periodEndMs, periodOfCounter, periodsAt, reservedUsd } from './counter.ts';
import { type BudgetsTable, findCounter, findCounterItems } from './counters-table.ts';

export interface BudgetTables {
  directory: DirectoryTable;
  budgets: BudgetsTable;
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

/** Returns at once. The budget takes effect within 30 seconds, and includes what its period has already cost. */
export async function setBudget(
  { directory }: BudgetTables,
  scope: BudgetScope,
  period: BudgetPeriod,
  budget: Budget,
): Promise<void> {
  await storeBudget(directory, scope, period, budget);
}

/** Resolves to `false` if there is no such budget. */
export function removeBudget(
  { directory }: BudgetTables,
  scope: BudgetScope,
  period: BudgetPeriod,
): Promise<boolean> {
  return storeRemoval(directory, scope, period);
}

const maxConcurrentCounters = 50;

/** The organization's own budgets first. */
export async function listBudgets(
  { directory, budgets }: BudgetTables,
  organizationId: string,
  now: Date,
): Promise<BudgetStatus[]> {
  const records = await listBudgetRecords(directory, organizationId);
  const counters = new Map<BudgetRecord, [Counter, ...Counter[]]>();
  await forEachConcurrently(records, maxConcurrentCounters, async (record) => {
    const { scope, counterId } = record;
    const first = await findCounter(budgets, counterKey(scope));
    if (first === null || first.id !== counterId) return;
    counters.set(record, await findCounterItems(budgets, scope, first));
  });
  return records.flatMap((record) =>
    budgetPeriods.flatMap((period) => {
      const budget = record.budgets[period];
      return budget === undefined ? [] : statusOf(record, period, budget, counters.get(record), now);
    }),
  );
}

function statusOf(
  { scope, revision, appliedRevision }: BudgetRecord,
  period: BudgetPeriod,
  budget: Budget,
  shards: readonly Counter[] = [],
  now: Date,
): BudgetStatus {
  const text = periodsAt(now.getTime())[period];
  const counted = appliedRevision === 0 ? [] : shards;
  const [first] = counted;
  const sum = (amounts: Usd[]) => (amounts.length === 0 ? null : amounts.reduce(addUsd));
  const notified = first === undefined ? 0 : periodOfCounter(first, text).notifiedPercent;
  return {
    ...budget,
    scope,
    period,
    state: revision === appliedRevision ? 'active' : 'activating',
    startMs: parsePeriodText(text),
    endMs: periodEndMs(text),
    spentUsd: sum(counted.map((counter) => periodOfCounter(counter, text).spentUsd)),
    reservedUsd: sum(counted.map(reservedUsd)),
    events: budgetThresholds.filter((threshold) => threshold <= notified),
  };
}
