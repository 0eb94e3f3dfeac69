/** The changes of a counter by which the budget function puts budgets into effect. Each is idempotent. */

import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { nullIfConditionFails, retryOnConflict } from '#lambdas/platform/dynamodb/conflicts.ts';
import {
  type ConditionalUpdate,
  conditionExpressions,
  equals,
  unchanged,
  unchangedValue,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { fromUnits, subtractUsd, toUnits, type Usd } from '#lambdas/platform/money.ts';
import { type BudgetPeriod, budgetPeriods, budgetThresholds, isSpent } from '../budgets/budget.ts';
import { rateAttributesOf, rateStateAttributes } from '../rates/item-rates.ts';
import {
  amountValue,
  type CounterItem,
  kindOfPeriod,
  parseCounterItem,
  periodAttribute,
  periodOfCounter,
  periodsBegun,
  recountedPeriods,
  spentIn,
  unlimitedUsd,
} from './counter.ts';
import { counterItemKey } from './keys.ts';
import { type BudgetCountersTable, findItemsByKey, updateCounterItem } from './table.ts';
import { type CounterUpdate, createUpdate } from './update.ts';

interface NewCounterItem {
  key: string;
  id: string;
  itemCount: number;
  /** The limit of days and months until the budgets are in effect. */
  limitUsd: Usd;
}

/** Replaces the item of an earlier counter. The state of rate limits stays. */
export async function createCounterItem(
  table: BudgetCountersTable,
  { key, id, itemCount, limitUsd }: NewCounterItem,
): Promise<CounterItem> {
  const limit = amountValue(limitUsd);
  const counter = { id, shards: itemCount, limit_day: limit, limit_month: limit };
  await replaceItem(table, key, counter);
  return parseCounterItem({ ...counterItemKey(key), ...counter });
}

export function deleteCounterItem(table: BudgetCountersTable, key: string): Promise<void> {
  return replaceItem(table, key, null);
}

/** Without a counter, the item keeps the state of rate limits, or is deleted if it has none. */
async function replaceItem(
  { client, tableName: TableName }: BudgetCountersTable,
  key: string,
  counter: Item | null,
): Promise<void> {
  const Key = counterItemKey(key);
  for (;;) {
    const { Item = {} } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    const rates = rateAttributesOf(Item);
    // Each write of a request with rate limits changes one of these.
    const [first, ...others] = rateStateAttributes.map((name) => unchangedValue(name, rates[name]));
    const condition = first && conditionExpressions(first, ...others);
    const isNeeded = counter !== null || Object.keys(rates).length > 0;
    const command = isNeeded
      ? new PutCommand({ TableName, Item: { ...Key, ...rates, ...counter }, ...condition })
      : new DeleteCommand({ TableName, Key, ...condition });
    const write = () => client.send(command as PutCommand);
    if ((await nullIfConditionFails(retryOnConflict(write))) !== null) return;
  }
}

/**
 * Starts a recount, which also abandons an earlier one. Requires a time in the future: later invocations of the rollup
 * function see it, and earlier ones receive only entries that were written before it.
 */
export async function beginItemRecount(
  table: BudgetCountersTable,
  item: CounterItem,
  fromMs: number,
): Promise<void> {
  const update = createUpdate(item.id);
  update.set('recount_from_ms', fromMs);
  // Also those that an abandoned recount has left since the counter was read.
  for (const period of new Set([...item.periods.keys(), ...recountedPeriods(fromMs)])) {
    update.remove(periodAttribute('recount', period));
  }
  await updateCounterItem(table, item.key, update.build());
}

export interface ItemRecount {
  fromMs: number;
  /** The item's share of what `recountedPeriods` have cost before `fromMs`, by period. */
  costs: ReadonlyMap<string, Usd>;
}

/**
 * Ends the recount in progress: replaces what was counted before it. Resolves to the new state; `null` if the counter or its
 * recount was replaced.
 */
export async function endItemRecount(
  table: BudgetCountersTable,
  item: CounterItem,
  recount: ItemRecount,
): Promise<CounterItem | null> {
  for (let current = item; ; ) {
    if (recount.fromMs !== current.recountFromMs) return null;
    const result = await updateCounterItem(table, current.key, recountUpdate(current, recount));
    if (result.isUpdated) return result.item;
    if (result.item?.id !== item.id) return null;
    current = result.item;
  }
}

function recountUpdate(item: CounterItem, { fromMs, costs }: ItemRecount): ConditionalUpdate {
  const update = createUpdate(item.id);
  update.require(equals('recount_from_ms', fromMs));
  for (const [period, costUsd] of costs) {
    const { spentUsd, recountUsd } = periodOfCounter(item, period);
    const missing = fromUnits(toUnits(costUsd) + toUnits(recountUsd) - toUnits(spentUsd));
    for (const name of ['spent', 'recount'] as const) {
      const attribute = periodAttribute(name, period);
      const stored = item.attributes[attribute];
      const value = stored === undefined ? undefined : amountValue(String(stored));
      update.require(...unchanged({ [attribute]: value }));
    }
    update.add(periodAttribute('spent', period), missing);
    update.addRemaining(period, subtractUsd('0', missing));
  }
  const recounted = new Set([...item.periods.keys(), ...costs.keys()]);
  for (const period of recounted) update.remove(periodAttribute('recount', period));
  update.remove('recount_from_ms');
  update.set('recounted_ms', fromMs);
  return update.build();
}

interface CounterLimits {
  itemCount: number;
  /** The part of the limit that the item has at the start of a period. */
  limits: Record<BudgetPeriod, Usd>;
}

/** Changes the limits of later periods. The remaining budget of the current ones stays as it is: see `rebalance`. */
export async function setLimits(
  table: BudgetCountersTable,
  item: CounterItem,
  { itemCount, limits }: CounterLimits,
  now: Date,
): Promise<boolean> {
  const update = createUpdate(item.id);
  update.set('shards', itemCount);
  for (const kind of budgetPeriods) update.set(`limit_${kind}`, amountValue(limits[kind]));
  for (const period of periodsBegun(now)) update.addRemaining(period, '0');
  return (await updateCounterItem(table, item.key, update.build())).isUpdated;
}

/** The limits of all items together. */
export function totalLimit(amount: Usd | null, itemCount: number): Usd {
  return amount ?? fromUnits(toUnits(unlimitedUsd) * BigInt(itemCount));
}

interface AmountChange {
  /** The partition keys of all items. */
  keys: readonly string[];
  id: string;
  /** Without division by items. */
  amounts: Record<BudgetPeriod, Usd | null>;
}

/**
 * Changes the amounts of a counter's budgets. Thresholds whose events were sent are reset if the new amount puts them above
 * what was spent: they are events of another amount. Without a change, nothing is reset, so the function can be repeated.
 * Resolves to `false` if the counter was replaced. Only the budget function may call it, once at a time.
 */
export async function changeAmounts(
  table: BudgetCountersTable,
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
          resetThresholds(update, { item, items, kind, amountUsd, now });
        }
      }
      // After a failed condition, the item is read again.
      await updateCounterItem(table, item.key, update.build());
    }
  }
}

function changedPeriods(item: CounterItem, amounts: AmountChange['amounts']): BudgetPeriod[] {
  return budgetPeriods.filter((kind) => !isSameAmount(item.amounts[kind], amounts[kind]));
}

function isSameAmount(one: Usd | null, other: Usd | null): boolean {
  return one === null || other === null ? one === other : toUnits(one) === toUnits(other);
}

interface ThresholdReset {
  item: CounterItem;
  /** All items of the counter. */
  items: readonly CounterItem[];
  kind: BudgetPeriod;
  amountUsd: Usd;
  now: Date;
}

/** The update fails if further events have been sent since the item was read. */
function resetThresholds(update: CounterUpdate, { item, items, kind, amountUsd, now }: ThresholdReset): void {
  for (const period of periodsBegun(now)) {
    if (kindOfPeriod(period) !== kind) continue;
    const notified = periodAttribute('notified', period);
    const { notifiedPercent } = periodOfCounter(item, period);
    update.require(...unchanged({ [notified]: notifiedPercent || undefined }));
    const spentUsd = spentIn(items, period);
    const remaining = budgetThresholds.filter(
      (threshold) => threshold <= notifiedPercent && isSpent(amountUsd, threshold, spentUsd),
    );
    const highest = remaining.at(-1);
    if (highest === undefined) update.remove(notified);
    else update.set(notified, highest);
  }
}
