/** The conditional writes with which requests change a counter of hard budgets. */

import { type ConditionalUpdate, compares, equals } from '#lambdas/platform/dynamodb/expressions.ts';
import {
  ConditionFailedError,
  type TableUpdates,
  type UpdateOptions,
} from '#lambdas/platform/dynamodb/table.ts';
import { addUsd, isPositive, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import { budgetPeriods } from '../budgets/budget.ts';
import {
  amountValue,
  type CounterItem,
  isSlotExpired,
  parseCounterItem,
  periodAttribute,
  periodsAt,
  slotAttribute,
  slotOf,
  slotStartMs,
} from './counter.ts';
import { counterItemKey } from './keys.ts';
import { type CounterUpdate, createUpdate } from './update.ts';

export interface ReservationTable {
  calls: TableUpdates;
  tableName: string;
  now(): Date;
}

export interface CounterItemRef {
  /** Its partition key. */
  itemKey: string;
  id: string;
}

interface Amount {
  usd: Usd;
  /** When the request was received. */
  atMs: number;
}

/** All attempts of a write together. */
const writeTimeoutMs = 2000;

/**
 * Resolves to the stored item if the amount exceeds the remaining budget of one of the periods.
 * Rejects when the item is missing or cannot be written.
 */
export async function reserveFromItem(
  table: ReservationTable,
  item: CounterItemRef,
  { usd, atMs }: Amount,
): Promise<CounterItem | null> {
  // Literal, since every request needs it: to build it would allocate 20 kB more.
  const assignments = budgetPeriods.map((kind) => `#${kind} = if_not_exists(#${kind}, limit_${kind}) - :usd`);
  const conditions = budgetPeriods.map(
    (kind) => `(#${kind} >= :usd OR (attribute_not_exists(#${kind}) AND limit_${kind} >= :usd))`,
  );
  const { day, month } = periodsAt(atMs);
  return updateIf(table, item, {
    UpdateExpression: `SET ${assignments.join(', ')} ADD #slot :usd`,
    ConditionExpression: ['id = :id', ...conditions].join(' AND '),
    ExpressionAttributeNames: {
      '#day': periodAttribute('room', day),
      '#month': periodAttribute('room', month),
      '#slot': slotAttribute(slotOf(atMs)),
    },
    ExpressionAttributeValues: { ':usd': amountValue(usd), ':id': item.id },
  });
}

/** Tries again after the release of lost reservations, if there are any. `refusingItem` is its current state. */
export async function reserveAfterRelease(
  table: ReservationTable,
  item: CounterItemRef,
  refusingItem: CounterItem,
  amount: Amount,
): Promise<CounterItem | null> {
  for (let current = refusingItem; ; ) {
    const lost = lostReservationsOf(current, table.now());
    if (lost === null) return current;
    await release(table, item, lost);
    const next = await reserveFromItem(table, item, amount);
    if (next === null) return null;
    current = next;
  }
}

async function release(table: ReservationTable, item: CounterItemRef, lost: LostReservations): Promise<void> {
  const update = createUpdate(item.id);
  releaseSlots(update, lost);
  // The first of concurrent releases and settlements of a slot wins. Either way, the request may fit now.
  await updateIf(table, item, update.build());
}

/** Does nothing if the reservation was released. */
export async function releaseReservation(
  table: ReservationTable,
  item: CounterItemRef,
  { usd, atMs }: Amount,
): Promise<void> {
  const update = createUpdate(item.id);
  update.require(compares(slotAttribute(slotOf(atMs)), '>=', amountValue(usd)));
  for (const period of Object.values(periodsAt(atMs))) update.addRemaining(period, usd);
  update.add(slotAttribute(slotOf(atMs)), subtractUsd('0', usd));
  // Without retries after a lost response: twice would return what other requests have reserved.
  await updateIf(table, item, update.build(), 'throttled');
}

/** The item is missing, or that of another counter. */
class CounterMissingError extends Error {
  constructor(itemKey: string) {
    super(`The counter ${itemKey} of a budget is missing or was replaced`);
    this.name = 'CounterMissingError';
  }
}

/** Resolves to the item whose condition failed; `null` after the update. Rejects if it is of another counter, or missing. */
async function updateIf(
  { calls, tableName }: ReservationTable,
  { itemKey, id }: CounterItemRef,
  { UpdateExpression, ...condition }: ConditionalUpdate,
  retries: UpdateOptions['retries'] = 'any',
): Promise<CounterItem | null> {
  const key = counterItemKey(itemKey);
  try {
    await calls.update(tableName, key, { UpdateExpression, condition, timeoutMs: writeTimeoutMs, retries });
    return null;
  } catch (error) {
    if (!(error instanceof ConditionFailedError)) throw error;
    if (error.item.id !== id) throw new CounterMissingError(itemKey);
    return parseCounterItem(error.item);
  }
}

/** An expression has at most 4 kB and 300 operators. The caller releases the next ones if these are not enough. */
const maxReleasedSlots = 40;

/**
 * Reservations whose function has ended without a log entry. They stay in the counter until a request would be refused:
 * then the request itself releases them, or the rollup function does.
 */
interface LostReservations {
  slots: readonly (readonly [slot: number, usd: Usd])[];
  /** Their release adds this to the remaining budget. Periods without an attribute have had no reservation. */
  byPeriod: ReadonlyMap<string, Usd>;
}

/** The update fails if a slot has changed. */
export function releaseSlots(update: CounterUpdate, { slots, byPeriod }: LostReservations): void {
  for (const [slot, usd] of slots) {
    update.require(equals(slotAttribute(slot), amountValue(usd)));
    update.remove(slotAttribute(slot));
  }
  for (const [period, usd] of byPeriod) update.addRemaining(period, usd);
}

/** `null` if none are lost. */
export function lostReservationsOf(item: CounterItem, now: Date): LostReservations | null {
  const slots = [...item.slots]
    .filter(([slot, usd]) => isPositive(usd) && isSlotExpired(slot, now.getTime()))
    .slice(0, maxReleasedSlots);
  if (slots.length === 0) return null;
  const byPeriod = new Map<string, Usd>();
  for (const [slot, usd] of slots) {
    for (const period of Object.values(periodsAt(slotStartMs(slot)))) {
      if (item.periods.get(period)?.remainingUsd == null) continue;
      byPeriod.set(period, addUsd(byPeriod.get(period) ?? '0', usd));
    }
  }
  return { slots, byPeriod };
}
