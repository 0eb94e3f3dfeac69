/**
 * Puts the budgets of an organization or a key into effect.
 *
 * 1. The counter is created, and the rollup function starts to add to it. A recount starts some seconds later: what was
 *    written before is read from the rollups, what is written from then on comes from the stream.
 * 2. Requests find the counter in the organization or the key, and reserve from it. It has no limits yet.
 * 3. When no function has an older organization or key in its cache, and the rollups have counted everything from before the recount, what
 *    the periods have already cost is added, and the limits are set.
 *
 * Until the limits are set, nothing is refused. Each step can be repeated after a failure.
 */

import { removeBudgetRef, storeBudgetRef } from '#lambdas/access/budget-refs.ts';
import type { BudgetCounterRef } from '#lambdas/access/directory.ts';
import {
  type Budget,
  type BudgetPeriod,
  type BudgetScope,
  type Budgets,
  budgetPeriods,
} from '#lambdas/limits/budgets/budget.ts';
import { type BudgetRecord, findBudgetRecord, storeApplied } from '#lambdas/limits/budgets/store.ts';
import {
  changeAmounts,
  endItemRecount,
  type ItemRecount,
  setLimits,
  totalLimit,
} from '#lambdas/limits/counters/change.ts';
import {
  type CounterItem,
  type CounterItems,
  hasHardLimit,
  kindOfPeriod,
  openPeriodsOf,
} from '#lambdas/limits/counters/counter.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { rebalance } from '#lambdas/limits/counters/rebalance.ts';
import { findCounterItem } from '#lambdas/limits/counters/table.ts';
import { divideUsd, minUsd, type Usd } from '#lambdas/platform/money.ts';
import { ensureCounter, removeCounter } from './counter-items.ts';
import { type BudgetDependencies, keyPropagationMs } from './dependencies.ts';
import { awaitRecountedCosts, beginRecount, ensureRecount, type Recount } from './recount.ts';

/** Resolves when the latest revision is in effect. */
export async function applyBudget(dependencies: BudgetDependencies, scope: BudgetScope): Promise<void> {
  for (;;) {
    const record = await findBudgetRecord(dependencies.directoryTable, scope);
    const { budgets = {}, revision, appliedRevision } = record ?? {};
    if (record !== null && revision === appliedRevision) return;
    const isRemoved = budgetPeriods.every((kind) => budgets[kind] === undefined);
    const isApplied =
      record === null || isRemoved
        ? await removeCounter(dependencies, scope, record)
        : await applyRecord(dependencies, record);
    if (isApplied) return;
  }
}

/** Resolves to `false` if there is a newer revision. */
async function applyRecord(dependencies: BudgetDependencies, record: BudgetRecord): Promise<boolean> {
  const { scope, budgets } = record;
  let items = await ensureCounter(dependencies, record);
  if (needsRecount(record, items)) items = await ensureRecount(dependencies, items);
  const [first] = items;
  const wasHard = hasHardLimit(first);
  const ref = refOf(budgets, first);
  if (ref !== null) await propagateRef(dependencies, scope, ref, { isInUse: wasHard });
  let recount = await awaitRecountedCosts(dependencies, scope, items);
  while (recount?.costs === null) {
    items = await beginRecount(dependencies, items);
    recount = await awaitRecountedCosts(dependencies, scope, items);
  }
  if (!(await changeItems(dependencies, record, items, recount))) return false;
  if (ref === null) await removeBudgetRef(dependencies.directoryTable, scope);
  return storeApplied(dependencies.directoryTable, record);
}

/** The counter that the keys reserve from; `null` without a hard budget. */
function refOf(budgets: Budgets, { id, itemCount }: CounterItem): BudgetCounterRef | null {
  const hard = budgetPeriods.flatMap((kind) => budgets[kind] ?? []).filter((budget) => budget.hard);
  if (hard.length === 0) return null;
  return { id, shards: itemCount, allows_unpriced: hard.every(({ allowsUnpriced }) => allowsUnpriced) };
}

/** Stores the counter until all requests find it, and no function has an older organization or key in its cache. */
async function propagateRef(
  { directoryTable, wait }: BudgetDependencies,
  scope: BudgetScope,
  ref: BudgetCounterRef,
  { isInUse }: { isInUse: boolean },
): Promise<void> {
  let changed = await storeBudgetRef(directoryTable, scope, ref);
  for (let isKnown = isInUse && changed === 0; !isKnown; isKnown = changed === 0) {
    await wait(keyPropagationMs);
    changed = await storeBudgetRef(directoryTable, scope, ref);
  }
}

function needsRecount({ needsRecount }: BudgetRecord, items: CounterItems): boolean {
  const [{ recountedMs }] = items;
  return recountedMs === 0 || needsRecount || items.some(({ recountFromMs }) => recountFromMs !== null);
}

/** Resolves to `false` if the counter was replaced, or a recount has begun. */
async function changeItems(
  { budgetCounters, now }: BudgetDependencies,
  { scope, budgets }: BudgetRecord,
  items: CounterItems,
  recount: Recount | null,
): Promise<boolean> {
  const itemCount = items.length;
  const hardAmounts = amountsOf(budgets, ({ hard }) => hard);
  const totals = {
    day: totalLimit(hardAmounts.day, itemCount),
    month: totalLimit(hardAmounts.month, itemCount),
  };
  if (recount !== null) {
    for (const [index, item] of items.entries()) {
      const share = shareOfRecount(recount, index, itemCount);
      if ((await endItemRecount(budgetCounters, item, share)) === null) return false;
    }
  }
  const limits = {
    day: divideUsd(totals.day, itemCount),
    month: divideUsd(totals.month, itemCount),
  };
  const limitsOf = (index: number) => ({ day: limits.day[index] ?? '0', month: limits.month[index] ?? '0' });
  // Limits decrease before others increase: a period that begins in between has no more than it should.
  for (const [index, item] of items.entries()) {
    const lower = lowerOf(item.limits, limitsOf(index));
    if (!(await setLimits(budgetCounters, item, { itemCount, limits: lower }, now()))) return false;
  }
  for (const [index, item] of items.entries()) {
    if (!(await setLimits(budgetCounters, item, { itemCount, limits: limitsOf(index) }, now()))) return false;
  }
  const [{ id }] = items;
  const keys = items.map((_, index) => counterKey(scope, index));
  const changed = await Promise.all(keys.map((key) => findCounterItem(budgetCounters, key)));
  for (const period of openPeriodsOf(
    changed.filter((item) => item !== null),
    now(),
  )) {
    if (!(await rebalance(budgetCounters, { keys, id, period }, totals[kindOfPeriod(period)]))) return false;
  }
  // Last: a refusal counts for the new amounts only once the new limits have caused it.
  return changeAmounts(budgetCounters, { keys, id, amounts: amountsOf(budgets, () => true) }, now());
}

type Amounts = Record<BudgetPeriod, Usd | null>;

function amountsOf(budgets: Budgets, isIncluded: (budget: Budget) => boolean): Amounts {
  const amountOf = (budget: Budget | undefined) => (budget && isIncluded(budget) ? budget.amountUsd : null);
  return { day: amountOf(budgets.day), month: amountOf(budgets.month) };
}

function lowerOf(one: Record<BudgetPeriod, Usd>, other: typeof one): typeof one {
  return { day: minUsd(one.day, other.day), month: minUsd(one.month, other.month) };
}

function shareOfRecount({ fromMs, costs }: Recount, index: number, itemCount: number): ItemRecount {
  const shares = [...(costs ?? [])].map(
    ([period, usd]) => [period, divideUsd(usd, itemCount)[index] ?? '0'] as const,
  );
  return { fromMs, costs: new Map(shares) };
}
