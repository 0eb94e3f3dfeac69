/**
 * An item with less than no room has admitted more than its part of the limit, or is charged for it: the others would admit
 * requests for which the counter has no room. So their room moves to it.
 */
import { addUsd, isPositive, minUsd, subtractUsd } from '#lambdas/platform/money.ts';
import { amountValue, type Counter, hasDeficit, openPeriodsOf, roomOf, slotAttribute } from './counter.ts';
import { createUpdate } from './counter-update.ts';
import { type BudgetsTable, findItemsByKey } from './counters-table.ts';
import { lostReservationsOf } from './lost-reservations.ts';
import { moveRoom, updateTogether } from './move-room.ts';

/** Moves room to items that have less than none, first from the others, then from lost reservations. */
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
    released.requireValue(slotAttribute(slot), amountValue(usd));
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
