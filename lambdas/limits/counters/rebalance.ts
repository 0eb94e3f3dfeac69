/** Divides the room of a period among the items of a counter. Together they have as much as the limit leaves. */

import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { equals, unchanged } from '#lambdas/platform/dynamodb/expressions.ts';
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
  amountValue,
  type Counter,
  counterItemKey,
  hasDeficit,
  kindOfPeriod,
  openPeriodsOf,
  periodOfCounter,
  periodsAt,
  roomOf,
  slotAttribute,
  slotStartMs,
} from './counter.ts';
import { lostReservationsOf } from './reservations.ts';
import { type BudgetsTable, findItemsByKey, updateCounter } from './table.ts';
import { type CounterUpdate, createUpdate } from './update.ts';

interface PeriodRoom {
  keys: readonly string[];
  id: string;
  period: string;
}

/**
 * Changes the room after a change of the limit: what was spent and is reserved stays. Then gives all items the same room.
 * Resolves to `false` if the counter was replaced. Only the budget function may call it, once at a time.
 */
export async function divideRoom(table: BudgetsTable, room: PeriodRoom, totalUsd: Usd): Promise<boolean> {
  const { period } = room;
  for (;;) {
    const items = await findItemsByKey(table, room);
    if (items === null) return false;
    const assigned = items.map((item) => addUsd(roomOf(item, period), usedOf(item, period))).reduce(addUsd);
    const changes = changesOf(items, period, subtractUsd(totalUsd, assigned));
    if (changes.length === 0) {
      const rooms = items.map((item) => roomOf(item, period));
      const targets = divideUsd(rooms.reduce(addUsd), rooms.length);
      await moveRoom(
        table,
        period,
        items.map((item, index) => {
          const missing = subtractUsd(targets[index] ?? '0', rooms[index] ?? '0');
          return { item, missing, spare: subtractUsd('0', missing) };
        }),
      );
      return true;
    }
    // After a change that has failed, the items are read again.
    for (const change of changes) await changeRoom(table, period, change);
  }
}

/** The sum of what was spent and is reserved. */
function usedOf(item: Counter, period: string): Usd {
  const reserved = [...item.slots]
    .filter(([slot]) => periodsAt(slotStartMs(slot))[kindOfPeriod(period)] === period)
    .map(([, usd]) => usd);
  return reserved.reduce(addUsd, periodOfCounter(item, period).spentUsd);
}

interface RoomChange {
  item: Counter;
  usd: Usd;
  /** The item must have the room that the change takes. */
  needsRoom: boolean;
}

/** More room goes to all items. Less is taken from those that have it; the first one owes what they do not have. */
function changesOf(items: readonly Counter[], period: string, usd: Usd): RoomChange[] {
  if (usd === '0') return [];
  if (!isNegative(usd)) {
    const parts = divideUsd(usd, items.length);
    return items.map((item, index) => ({ item, usd: parts[index] ?? '0', needsRoom: false }));
  }
  let missing = subtractUsd('0', usd);
  const changes: RoomChange[] = [];
  for (const item of items) {
    const taken = minUsd(roomOf(item, period), missing);
    if (!isPositive(taken)) continue;
    changes.push({ item, usd: subtractUsd('0', taken), needsRoom: true });
    missing = subtractUsd(missing, taken);
  }
  if (changes.length > 0) return changes;
  return items.slice(0, 1).map((item) => ({ item, usd: subtractUsd('0', missing), needsRoom: false }));
}

/** The number of changes, so that a repeated write has no effect. */
const changesAttribute = 'room_changes';

/** Fails without an error when the item has less room by now, or was changed in another way. */
async function changeRoom(
  table: BudgetsTable,
  period: string,
  { item, usd, needsRoom }: RoomChange,
): Promise<void> {
  const update = createUpdate(item.id);
  const changes = Number(item.item[changesAttribute] ?? 0);
  update.require(...unchanged({ [changesAttribute]: changes || undefined }));
  update.set(changesAttribute, changes + 1);
  if (needsRoom) update.takeRoom(period, subtractUsd('0', usd));
  else update.addRoom(period, usd);
  await updateCounter(table, item.key, update.build());
}

/**
 * An item with less than no room has admitted more than its part of the limit, or is charged for it: the others would admit
 * requests for which the counter has no room. So room moves to it, first from the others, then from lost reservations.
 */
export async function coverDeficits(
  table: BudgetsTable,
  items: readonly Counter[],
  now: Date,
): Promise<void> {
  const periods = openPeriodsOf(items, now);
  if (items.length === 1 || !items.some((item) => hasDeficit(item, periods))) return;
  for (const period of periods) {
    await moveRoom(
      table,
      period,
      items.map((item) => {
        const room = roomOf(item, period);
        return { item, missing: subtractUsd('0', room), spare: room };
      }),
    );
  }
  const keys = items.map(({ key }) => key);
  for (const { key, id } of items.filter((item) => lostReservationsOf(item, now) !== null)) {
    const current = (await findItemsByKey(table, { keys, id })) ?? [];
    const item = current.find((one) => one.key === key);
    if (item === undefined) return;
    await releaseToDeficits(table, { item, others: current.filter((one) => one !== item), now });
  }
}

/**
 * Releases the lost reservations of an item. The part beyond its own deficit goes to the deficits of the others, in the same
 * transaction: no request can reserve it in between.
 */
async function releaseToDeficits(
  table: BudgetsTable,
  { item, others, now }: { item: Counter; others: readonly Counter[]; now: Date },
): Promise<void> {
  const lost = lostReservationsOf(item, now);
  if (lost === null) return;
  const released = createUpdate(item.id);
  const updates = new Map([[item, released]]);
  for (const [slot, usd] of lost.slots) {
    released.require(equals(slotAttribute(slot), amountValue(usd)));
    released.remove(slotAttribute(slot));
  }
  for (const [period, usd] of lost.rooms) {
    released.addRoom(period, usd);
    let spare = minUsd(usd, addUsd(roomOf(item, period), usd));
    for (const other of others) {
      const moved = minUsd(spare, subtractUsd('0', roomOf(other, period)));
      if (!isPositive(moved)) continue;
      const update = updates.get(other) ?? createUpdate(other.id);
      updates.set(other, update);
      released.addRoom(period, subtractUsd('0', moved));
      update.addRoom(period, moved);
      spare = subtractUsd(spare, moved);
    }
  }
  await updateTogether(table, [...updates]);
}

interface RoomShare {
  item: Counter;
  /** The room that the item should get, and could give; neither if not positive. */
  missing: Usd;
  spare: Usd;
}

/** Skips what was reserved in the meantime. */
async function moveRoom(table: BudgetsTable, period: string, shares: readonly RoomShare[]): Promise<void> {
  // An item never gives what it does not have.
  const givers = shares.map(({ item, spare }) => ({ item, spare: minUsd(spare, roomOf(item, period)) }));
  for (const receiver of shares.filter(({ missing }) => isPositive(missing))) {
    let { missing } = receiver;
    for (const giver of givers) {
      const usd = minUsd(giver.spare, missing);
      if (!isPositive(usd)) continue;
      giver.spare = subtractUsd(giver.spare, usd);
      const isMoved = await transferRoom(table, period, { from: giver.item, to: receiver.item, usd });
      if (isMoved) missing = subtractUsd(missing, usd);
    }
  }
}

async function transferRoom(
  table: BudgetsTable,
  period: string,
  { from, to, usd }: { from: Counter; to: Counter; usd: Usd },
): Promise<boolean> {
  const taken = createUpdate(from.id);
  taken.takeRoom(period, usd);
  const given = createUpdate(to.id);
  given.addRoom(period, usd);
  return updateTogether(table, [
    [from, taken],
    [to, given],
  ]);
}

/** In one transaction. Resolves to `false` if a condition has failed, or another write is changing an item. */
async function updateTogether(
  { client, tableName }: BudgetsTable,
  updates: readonly (readonly [Counter, CounterUpdate])[],
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
