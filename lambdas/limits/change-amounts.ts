/** Changes the amounts of a counter's budgets, which arms their thresholds again. */
import { toUnits, type Usd } from '#lambdas/platform/money.ts';
import { type BudgetPeriod, budgetPeriods, budgetThresholds, isSpent } from './budget.ts';
import {
  amountValue,
  type Counter,
  kindOfPeriod,
  periodAttribute,
  periodOfCounter,
  periodsBegun,
  spentIn,
} from './counter.ts';
import { type CounterUpdate, createUpdate } from './counter-update.ts';
import { type BudgetsTable, findItemsByKey, updateCounter } from './counters-table.ts';

export interface AmountChange {
  /** The partition keys of all items. */
  keys: readonly string[];
  id: string;
  /** Without division by items. */
  amounts: Record<BudgetPeriod, Usd | null>;
}

/**
 * Thresholds whose events were sent are armed again if the new amount puts them above what was spent: they are events of
 * another amount. Without a change, nothing is armed, so the function can be repeated. Resolves to `false` if the counter
 * was replaced. Only the budget function may call it, once at a time.
 */
export async function changeAmounts(
  table: BudgetsTable,
  { keys, id, amounts }: AmountChange,
  now: Date,
): Promise<boolean> {
  for (;;) {
    const items = await findItemsByKey(table, { keys, id });
    if (items === null) return false;
    const outdated = items.filter((item) => changedPeriods(item, amounts).length > 0);
    if (outdated.length === 0) return true;
    for (const item of outdated) {
      const update = createUpdate(id);
      for (const kind of changedPeriods(item, amounts)) {
        const amountUsd = amounts[kind];
        update.set(`amount_from_ms_${kind}`, now.getTime());
        if (amountUsd === null) {
          update.remove(`amount_${kind}`);
        } else {
          update.set(`amount_${kind}`, amountValue(amountUsd));
          armThresholds(update, { item, items, kind, amountUsd, now });
        }
      }
      // After a failed condition, the item is read again.
      await updateCounter(table, item.key, update.build());
    }
  }
}

function changedPeriods(item: Counter, amounts: AmountChange['amounts']): BudgetPeriod[] {
  return budgetPeriods.filter((kind) => !isSameAmount(item.amounts[kind], amounts[kind]));
}

function isSameAmount(one: Usd | null, other: Usd | null): boolean {
  return one === null || other === null ? one === other : toUnits(one) === toUnits(other);
}

interface Arming {
  item: Counter;
  /** All items of the counter. */
  items: readonly Counter[];
  kind: BudgetPeriod;
  amountUsd: Usd;
  now: Date;
}

/** The update fails if further events have been sent since the item was read. */
function armThresholds(update: CounterUpdate, { item, items, kind, amountUsd, now }: Arming): void {
  for (const period of periodsBegun(now)) {
    if (kindOfPeriod(period) !== kind) continue;
    const notified = periodAttribute('notified', period);
    const { notifiedPercent } = periodOfCounter(item, period);
    if (notifiedPercent === 0) update.requireNone(notified);
    else update.requireValue(notified, notifiedPercent);
    const spentUsd = spentIn(items, period);
    const remaining = budgetThresholds.filter(
      (threshold) => threshold <= notifiedPercent && isSpent(amountUsd, threshold, spentUsd),
    );
    const highest = remaining.at(-1);
    if (highest === undefined) update.remove(notified);
    else update.set(notified, highest);
  }
}
