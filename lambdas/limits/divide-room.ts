/**
 * Divides the room of a period among the items of a counter.
 *
 * All items together have as much room as the limit leaves. If one has less than none, the others admit requests for which
 * there is no room. So room moves to it from the others, in a transaction, which changes no sum.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { addUsd, divideUsd, minUsd, subtractUsd, toUnits, type Usd } from '#lambdas/platform/money.ts';
import {
  type Counter,
  counterItemKey,
  kindOfPeriod,
  periodAttribute,
  periodOfCounter,
  periodsAt,
  roomOf,
  slotStartMs,
} from './counter.ts';
import { createUpdate } from './counter-update.ts';
import { type BudgetsTable, findCounter, updateCounter } from './counters-table.ts';

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
    const items = await readItems(table, room);
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
    for (const change of changes) {
      if (!(await changeRoom(table, period, change))) break;
    }
  }
}

/** Moves room to items that have less than none, as after costs without a reservation. */
export async function coverDeficits(
  table: BudgetsTable,
  items: readonly Counter[],
  period: string,
): Promise<void> {
  await moveRoom(
    table,
    period,
    items.map((item) => {
      const room = roomOf(item, period);
      return { item, missing: subtractUsd('0', room), spare: room };
    }),
  );
}

/** Strongly consistent; `null` if the counter was replaced. */
async function readItems(table: BudgetsTable, { keys, id }: PeriodRoom): Promise<Counter[] | null> {
  const items: Counter[] = [];
  for (const key of keys) {
    const item = await findCounter(table, key);
    if (item?.id !== id) return null;
    items.push(item);
  }
  return items;
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
    const room = roomOf(item, period);
    const taken = isNegative(room) ? '0' : minUsd(room, missing);
    if (taken === '0') continue;
    changes.push({ item, usd: subtractUsd('0', taken), needsRoom: true });
    missing = subtractUsd(missing, taken);
  }
  if (changes.length > 0) return changes;
  return items.slice(0, 1).map((item) => ({ item, usd: subtractUsd('0', missing), needsRoom: false }));
}

/** The number of changes, so that a repeated write has no effect. */
const changesAttribute = 'room_changes';

/** Resolves to `false` when the item has less room by now. */
async function changeRoom(
  table: BudgetsTable,
  period: string,
  { item, usd, needsRoom }: RoomChange,
): Promise<boolean> {
  const update = createUpdate(item.id);
  const changes = Number(item.item[changesAttribute] ?? 0);
  if (changes === 0) update.requireNone(changesAttribute);
  else update.requireValue(changesAttribute, changes);
  update.set(changesAttribute, changes + 1);
  const room = periodAttribute('room', period);
  update.addTo(room, `limit_${kindOfPeriod(period)}`, usd);
  if (needsRoom && item.item[room] !== undefined) update.requireAtLeast(room, subtractUsd('0', usd));
  return (await updateCounter(table, item.key, update.build())).isUpdated;
}

interface RoomShare {
  item: Counter;
  /** The room that the item should get, and could give; neither if not positive. */
  missing: Usd;
  spare: Usd;
}

/** Skips what was reserved in the meantime. */
async function moveRoom(table: BudgetsTable, period: string, shares: readonly RoomShare[]): Promise<void> {
  const isPositive = (usd: Usd) => toUnits(usd) > 0n;
  const givers = shares.filter(({ spare }) => isPositive(spare)).map(({ item, spare }) => ({ item, spare }));
  for (const receiver of shares.filter(({ missing }) => isPositive(missing))) {
    let { missing } = receiver;
    for (const giver of givers) {
      // An item never gives what it does not have.
      const usd = [giver.spare, roomOf(giver.item, period), missing].reduce(minUsd);
      if (!isPositive(usd)) continue;
      giver.spare = subtractUsd(giver.spare, usd);
      const isMoved = await transferRoom(table, period, { from: giver.item, to: receiver.item, usd });
      if (isMoved) missing = subtractUsd(missing, usd);
    }
  }
}

async function transferRoom(
  { client, tableName }: BudgetsTable,
  period: string,
  { from, to, usd }: { from: Counter; to: Counter; usd: Usd },
): Promise<boolean> {
  const room = periodAttribute('room', period);
  const limit = `limit_${kindOfPeriod(period)}`;
  const taken = createUpdate(from.id);
  taken.addTo(room, limit, subtractUsd('0', usd));
  if (from.item[room] === undefined) taken.requireNone(room);
  else taken.requireAtLeast(room, usd);
  const given = createUpdate(to.id);
  given.addTo(room, limit, usd);
  const actions = [
    { Update: { TableName: tableName, Key: counterItemKey(from.key), ...taken.build() } },
    { Update: { TableName: tableName, Key: counterItemKey(to.key), ...given.build() } },
  ];
  try {
    await client.send(new TransactWriteCommand({ TransactItems: actions }));
    return true;
  } catch (error) {
    // Another write has taken the room, or is taking it at the moment.
    if (error instanceof TransactionCanceledException) return false;
    throw error;
  }
}

function isNegative(usd: Usd): boolean {
  return toUnits(usd) < 0n;
}
