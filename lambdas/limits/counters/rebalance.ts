/** Divides the remaining budget of a period among the items of a counter. */

import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unchanged } from '#lambdas/platform/dynamodb/expressions.ts';
import {
  addUsd,
  divideUsd,
  isNegative,
  isPositive,
  minUsd,
  subtractUsd,
  type Usd,
} from '#lambdas/platform/money.ts';
import {
  type CounterItem,
  hasDeficit,
  kindOfPeriod,
  openPeriodsOf,
  periodOfCounter,
  periodsAt,
  remainingOf,
  slotStartMs,
} from './counter.ts';
import { counterItemKey } from './keys.ts';
import { amountLeasesOf, expiredAmountsOf, sumByPeriod } from './leases.ts';
import { type BudgetCountersTable, findItemsByKey, updateCounterItem } from './table.ts';
import { type CounterUpdate, createUpdate, releaseAmounts } from './update.ts';

interface PeriodOfCounter {
  keys: readonly string[];
  id: string;
  period: string;
}

/**
 * Changes the remaining budget after a change of the limit: what was spent and is reserved stays. Then divides it equally.
 * Resolves to `false` if the counter was replaced. Only the budget function may call it, once at a time.
 */
export async function rebalance(
  table: BudgetCountersTable,
  counter: PeriodOfCounter,
  totalUsd: Usd,
): Promise<boolean> {
  const { period } = counter;
  for (;;) {
    const items = await findItemsByKey(table, counter);
    if (items === null) return false;
    const assigned = items
      .map((item) => addUsd(remainingOf(item, period), usedOf(item, period)))
      .reduce(addUsd);
    const changes = changesOf(items, period, subtractUsd(totalUsd, assigned));
    if (changes.length === 0) {
      const remaining = items.map((item) => remainingOf(item, period));
      const targets = divideUsd(remaining.reduce(addUsd), remaining.length);
      await moveRemaining(
        table,
        period,
        items.map((item, index) => {
          const missing = subtractUsd(targets[index] ?? '0', remaining[index] ?? '0');
          return { item, missing, spare: subtractUsd('0', missing) };
        }),
      );
      return true;
    }
    // After a change that has failed, the items are read again.
    for (const change of changes) await applyChange(table, period, change);
  }
}

/** The sum of what is spent, pending and leased, also by functions that were killed. */
function usedOf(item: CounterItem, period: string): Usd {
  const pending = [...item.pending]
    .filter(([slot]) => periodsAt(slotStartMs(slot))[kindOfPeriod(period)] === period)
    .map(([, usd]) => usd);
  const leased = sumByPeriod(amountLeasesOf(item.attributes, 0)).get(period) ?? '0';
  return pending.reduce(addUsd, addUsd(periodOfCounter(item, period).spentUsd, leased));
}

interface RemainingChange {
  item: CounterItem;
  usd: Usd;
  /** The change is only made if the item has this much. */
  requiresRemaining: boolean;
}

/** An increase goes to all items. A decrease is taken from those that have it; the first one owes what they do not have. */
function changesOf(items: readonly CounterItem[], period: string, usd: Usd): RemainingChange[] {
  if (usd === '0') return [];
  if (!isNegative(usd)) {
    const parts = divideUsd(usd, items.length);
    return items.map((item, index) => ({ item, usd: parts[index] ?? '0', requiresRemaining: false }));
  }
  let missing = subtractUsd('0', usd);
  const changes: RemainingChange[] = [];
  for (const item of items) {
    const taken = minUsd(remainingOf(item, period), missing);
    if (!isPositive(taken)) continue;
    changes.push({ item, usd: subtractUsd('0', taken), requiresRemaining: true });
    missing = subtractUsd(missing, taken);
  }
  if (changes.length > 0) return changes;
  return items
    .slice(0, 1)
    .map((item) => ({ item, usd: subtractUsd('0', missing), requiresRemaining: false }));
}

/** The number of changes, so that a repeated write has no effect. */
const changesAttribute = 'room_changes';

/** Does nothing if the item has too little by now, or was changed in another way. */
async function applyChange(
  table: BudgetCountersTable,
  period: string,
  { item, usd, requiresRemaining }: RemainingChange,
): Promise<void> {
  const update = createUpdate(item.id);
  const changes = Number(item.attributes[changesAttribute] ?? 0);
  update.require(...unchanged({ [changesAttribute]: changes || undefined }));
  update.set(changesAttribute, changes + 1);
  if (requiresRemaining) update.takeRemaining(period, subtractUsd('0', usd));
  else update.addRemaining(period, usd);
  await updateCounterItem(table, item.key, update.build());
}

/**
 * A negative item has admitted more than its part of the limit, or is charged for it: the others would admit requests that
 * exceed the limit of the counter. So budget moves to it, first from the others, then from leases of killed functions.
 */
export async function coverDeficits(
  table: BudgetCountersTable,
  items: readonly CounterItem[],
  now: Date,
): Promise<void> {
  const periods = openPeriodsOf(items, now);
  if (items.length === 1 || !items.some((item) => hasDeficit(item, periods))) return;
  for (const period of periods) {
    await moveRemaining(
      table,
      period,
      items.map((item) => {
        const remaining = remainingOf(item, period);
        return { item, missing: subtractUsd('0', remaining), spare: remaining };
      }),
    );
  }
  const keys = items.map(({ key }) => key);
  for (const { key, id, attributes } of items) {
    if (expiredAmountsOf(attributes, now.getTime()).length === 0) continue;
    const current = (await findItemsByKey(table, { keys, id })) ?? [];
    const item = current.find((one) => one.key === key);
    if (item === undefined) return;
    await releaseToDeficits(table, { item, others: current.filter((one) => one !== item), now });
  }
}

/**
 * Releases the expired leases of an item. The part beyond its own deficit goes to the deficits of the others, in the same
 * transaction: no request can reserve it in between.
 */
async function releaseToDeficits(
  table: BudgetCountersTable,
  { item, others, now }: { item: CounterItem; others: readonly CounterItem[]; now: Date },
): Promise<void> {
  const expired = expiredAmountsOf(item.attributes, now.getTime());
  if (expired.length === 0) return;
  const released = createUpdate(item.id);
  const updates = new Map([[item, released]]);
  releaseAmounts(released, item, expired);
  for (const [period, usd] of sumByPeriod(expired)) {
    // Periods without an attribute are over.
    if (item.periods.get(period)?.remainingUsd == null) continue;
    let spare = minUsd(usd, addUsd(remainingOf(item, period), usd));
    for (const other of others) {
      const moved = minUsd(spare, subtractUsd('0', remainingOf(other, period)));
      if (!isPositive(moved)) continue;
      const update = updates.get(other) ?? createUpdate(other.id);
      updates.set(other, update);
      released.addRemaining(period, subtractUsd('0', moved));
      update.addRemaining(period, moved);
      spare = subtractUsd(spare, moved);
    }
  }
  await updateTogether(table, [...updates]);
}

interface RemainingShare {
  item: CounterItem;
  /** The amounts that the item should get, and could give; neither if not positive. */
  missing: Usd;
  spare: Usd;
}

/** Skips what was reserved in the meantime. */
async function moveRemaining(
  table: BudgetCountersTable,
  period: string,
  shares: readonly RemainingShare[],
): Promise<void> {
  // An item never gives what it does not have.
  const givers = shares.map(({ item, spare }) => ({ item, spare: minUsd(spare, remainingOf(item, period)) }));
  for (const receiver of shares.filter(({ missing }) => isPositive(missing))) {
    let { missing } = receiver;
    for (const giver of givers) {
      const usd = minUsd(giver.spare, missing);
      if (!isPositive(usd)) continue;
      giver.spare = subtractUsd(giver.spare, usd);
      const isMoved = await transferRemaining(table, period, { from: giver.item, to: receiver.item, usd });
      if (isMoved) missing = subtractUsd(missing, usd);
    }
  }
}

async function transferRemaining(
  table: BudgetCountersTable,
  period: string,
  { from, to, usd }: { from: CounterItem; to: CounterItem; usd: Usd },
): Promise<boolean> {
  const taken = createUpdate(from.id);
  taken.takeRemaining(period, usd);
  const given = createUpdate(to.id);
  given.addRemaining(period, usd);
  return updateTogether(table, [
    [from, taken],
    [to, given],
  ]);
}

/** In one transaction. Resolves to `false` if a condition has failed, or another write is changing an item. */
async function updateTogether(
  { client, tableName }: BudgetCountersTable,
  updates: readonly (readonly [CounterItem, CounterUpdate])[],
): Promise<boolean> {
  const TransactItems = updates.map(([{ key }, update]) => ({
    Update: { TableName: tableName, Key: counterItemKey(key), ...update.build() },
  }));
  try {
    await client.send(new TransactWriteCommand({ TransactItems }));
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException) return false;
    throw error;
  }
}
