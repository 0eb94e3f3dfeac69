/** Divides the room of a period among the items of a counter. Together they have as much as the limit leaves. */
import {
  addUsd,
  divideUsd,
  isNegative,
  isPositive,
  minUsd,
  subtractUsd,
  type Usd,
} from '#lambdas/platform/money.ts';
import { type Counter, kindOfPeriod, periodOfCounter, periodsAt, roomOf, slotStartMs } from './counter.ts';
import { createUpdate } from './counter-update.ts';
import { type BudgetsTable, findItemsByKey, updateCounter } from './counters-table.ts';
import { moveRoom } from './move-room.ts';

export interface PeriodRoom {
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
  if (changes === 0) update.requireNone(changesAttribute);
  else update.requireValue(changesAttribute, changes);
  update.set(changesAttribute, changes + 1);
  if (needsRoom) update.takeRoom(period, subtractUsd('0', usd));
  else update.addRoom(period, usd);
  await updateCounter(table, item.key, update.build());
}
