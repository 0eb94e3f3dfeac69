/** The conditional writes with which requests change a counter of hard budgets. */
import {
  ConditionFailedError,
  type TableUpdates,
  type UpdateOptions,
  type WriteCondition,
} from '#lambdas/platform/dynamodb/table.ts';
import { addUsd, subtractUsd, toUnits, type Usd } from '#lambdas/platform/money.ts';
import { type BudgetPeriod, budgetPeriods } from './budget.ts';
import {
  amountValue,
  type Counter,
  counterItemKey,
  isSlotExpired,
  parseCounter,
  periodAttribute,
  periodsAt,
  roomOf,
  slotAttribute,
  slotOf,
  slotStartMs,
} from './counter.ts';

export interface CounterTable {
  calls: TableUpdates;
  tableName: string;
  now(): Date;
}

export interface CounterItem {
  /** Its partition key. */
  itemKey: string;
  id: string;
}

export interface Amount {
  usd: Usd;
  /** When the request was received. */
  atMs: number;
}

/** All attempts of a write together. */
const writeTimeoutMs = 2000;

/** Resolves to the counter if it has no room for the amount. Rejects when the item is missing or cannot be written. */
export async function reserveFromItem(
  table: CounterTable,
  item: CounterItem,
  { usd, atMs }: Amount,
): Promise<Counter | null> {
  const periods = periodsAt(atMs);
  const expression = `SET ${budgetPeriods.map((kind) => `#${kind} = if_not_exists(#${kind}, limit_${kind}) - :usd`).join(', ')} ADD #slot :usd`;
  const roomConditions = budgetPeriods.map(
    (kind) => `(#${kind} >= :usd OR (attribute_not_exists(#${kind}) AND limit_${kind} >= :usd))`,
  );
  for (;;) {
    const refusing = await updateIf(table, item, expression, {
      ConditionExpression: ['id = :id', ...roomConditions].join(' AND '),
      ExpressionAttributeNames: roomNames(periods, slotOf(atMs)),
      ExpressionAttributeValues: { ':usd': amountValue(usd), ':id': item.id },
    });
    if (refusing === null) return null;
    // The room may have been released or returned in the meantime.
    if (!budgetPeriods.every((kind) => hasRoom(refusing, periods[kind], usd))) {
      if (!(await releaseLostReservations(table, item, refusing))) return refusing;
    }
  }
}

/** An expression has at most 4 kB and 300 operators. The caller releases the next ones if these are not enough. */
const maxReleasedSlots = 40;

/** Resolves to `false` when nothing could be released. */
async function releaseLostReservations(
  table: CounterTable,
  item: CounterItem,
  counter: Counter,
): Promise<boolean> {
  const nowMs = table.now().getTime();
  const lost = [...counter.slots]
    .filter(([slot, usd]) => toUnits(usd) > 0n && isSlotExpired(slot, nowMs))
    .slice(0, maxReleasedSlots);
  if (lost.length === 0) return false;
  const rooms = new Map<string, Usd>();
  for (const [slot, usd] of lost) {
    for (const period of Object.values(periodsAt(slotStartMs(slot)))) {
      if (counter.periods.get(period)?.roomUsd == null) continue;
      rooms.set(period, addUsd(rooms.get(period) ?? '0', usd));
    }
  }
  const periods = [...rooms];
  const additions = periods.map((_, index) => `#room${index} :room${index}`);
  const removals = lost.map((_, index) => `#slot${index}`);
  const expression = `${additions.length === 0 ? '' : `ADD ${additions.join(', ')} `}REMOVE ${removals.join(', ')}`;
  const names = [
    ...periods.map(([period], index) => [`#room${index}`, periodAttribute('room', period)] as const),
    ...lost.map(([slot], index) => [`#slot${index}`, slotAttribute(slot)] as const),
  ];
  const values = [
    ...periods.map(([, usd], index) => [`:room${index}`, amountValue(usd)] as const),
    ...lost.map(([, usd], index) => [`:slot${index}`, amountValue(usd)] as const),
  ];
  // The first of concurrent releases and settlements of a slot wins. Either way, there may be room now.
  await updateIf(table, item, expression, {
    ConditionExpression: ['id = :id', ...removals.map((_, index) => `#slot${index} = :slot${index}`)].join(
      ' AND ',
    ),
    ExpressionAttributeNames: Object.fromEntries(names),
    ExpressionAttributeValues: { ...Object.fromEntries(values), ':id': item.id },
  });
  return true;
}

/** Does nothing if the reservation was released. */
export async function takeBack(table: CounterTable, item: CounterItem, { usd, atMs }: Amount): Promise<void> {
  const periods = periodsAt(atMs);
  const condition = {
    ConditionExpression: 'id = :id AND #slot >= :usd',
    ExpressionAttributeNames: roomNames(periods, slotOf(atMs)),
    ExpressionAttributeValues: {
      ':usd': amountValue(usd),
      ':minus': amountValue(subtractUsd('0', usd)),
      ':id': item.id,
    },
  };
  // Without retries after a lost response: twice would return room that other requests have reserved.
  await updateIf(table, item, 'ADD #day :usd, #month :usd, #slot :minus', condition, 'throttled');
}

function roomNames(periods: Record<BudgetPeriod, string>, slot: number): Record<string, string> {
  return {
    '#day': periodAttribute('room', periods.day),
    '#month': periodAttribute('room', periods.month),
    '#slot': slotAttribute(slot),
  };
}

export function hasRoom(counter: Counter, period: string, usd: Usd): boolean {
  return toUnits(roomOf(counter, period)) >= toUnits(usd);
}

/** The item is missing, or that of another counter. */
class CounterMissingError extends Error {
  constructor(itemKey: string) {
    super(`The counter ${itemKey} of a budget is missing or was replaced`);
    this.name = 'CounterMissingError';
  }
}

/** Resolves to the counter whose condition failed; `null` after the update. Rejects if it is another counter, or none. */
async function updateIf(
  { calls, tableName }: CounterTable,
  { itemKey, id }: CounterItem,
  UpdateExpression: string,
  condition: WriteCondition,
  retries: UpdateOptions['retries'] = 'any',
): Promise<Counter | null> {
  const key = counterItemKey(itemKey);
  try {
    await calls.update(tableName, key, { UpdateExpression, condition, timeoutMs: writeTimeoutMs, retries });
    return null;
  } catch (error) {
    if (!(error instanceof ConditionFailedError)) throw error;
    if (error.item.id !== id) throw new CounterMissingError(itemKey);
    return parseCounter(error.item);
  }
}
