/** The update of a counter that counts the costs of log entries, for the records of a batch or a single one. */
import { compares, unchanged } from '#lambdas/platform/dynamodb/expressions.ts';
import { addUsd, subtractUsd, toUnits, type Usd } from '#lambdas/platform/money.ts';
import {
  amountValue,
  type CounterItem,
  isPeriodOver,
  pendingAttribute,
  periodAttribute,
  periodsAt,
  slotOf,
} from './counter.ts';
import { type CounterUpdate, createUpdate } from './update.ts';

/** The effect of a new or changed log entry on an item of a counter. */
export interface Settlement {
  /** When the request was received, in milliseconds since 1970. */
  createdAtMs: number;
  /** When the entry was written. */
  writtenAtMs: number;
  /** The cost of a new entry, or the difference of a changed one, which can be negative. */
  costUsd: Usd;
  /** The part of the cost of a new entry that the end of its request has made pending in this item. */
  pendingUsd: Usd;
  /** The period that has refused the request of a new entry; unset if none has. */
  refusedPeriod?: string;
  /** True for a record that neither the rollups nor the counter have, whenever it was written. */
  isReplayed: boolean;
}

/**
 * Requires the current state of the item. The condition fails when the pending costs or the recount have changed in a way that
 * matters: the caller then tries again with the new state.
 *
 * A slot gives at most what it has. It has too little if the end of a request was never written although it seemed so, or has
 * been written for another one: then the rest of the cost is taken from the remaining budget, as for an entry of a killed function.
 */
export function settlementUpdate(
  item: CounterItem,
  settlements: readonly Settlement[],
  now: Date,
): CounterUpdate {
  const update = createUpdate(item.id);
  const { recountFromMs } = item;
  update.require(...unchanged({ recount_from_ms: recountFromMs ?? undefined }));

  // The last recount has included the others, unless the rollups did not have them either.
  const isMissing = ({ writtenAtMs, isReplayed }: Settlement) =>
    isReplayed || writtenAtMs >= item.recountedMs;
  const openPeriodsAt = (atMs: number) =>
    Object.values(periodsAt(atMs)).filter((period) => !isPeriodOver(period, now.getTime()));
  for (const [slot, { usd, createdAtMs }] of sumBySlot(settlements)) {
    const stored = item.pending.get(slot);
    const isWhole = toUnits(stored ?? '0') >= toUnits(usd);
    const returned = isWhole ? usd : (stored ?? '0');
    const attribute = pendingAttribute(slot);
    if (isWhole) update.require(compares(attribute, '>=', amountValue(usd)));
    else update.require(...unchanged({ [attribute]: stored && amountValue(stored) }));
    if (toUnits(returned) === 0n) continue;
    update.add(attribute, subtractUsd('0', returned));
    for (const period of openPeriodsAt(createdAtMs)) update.addRemaining(period, returned);
  }
  for (const settlement of settlements) {
    const { createdAtMs, writtenAtMs, costUsd } = settlement;
    if (costUsd === '0' || !isMissing(settlement)) continue;
    for (const period of openPeriodsAt(createdAtMs)) {
      update.addRemaining(period, subtractUsd('0', costUsd));
      update.add(periodAttribute('spent', period), costUsd);
      if (recountFromMs !== null && writtenAtMs >= recountFromMs) {
        update.add(periodAttribute('recount', period), costUsd);
      }
    }
  }
  // Only records tell of refusals, so that a recount, which reads rollups, neither finds nor changes them.
  for (const { refusedPeriod: period } of settlements) {
    if (period === undefined || isPeriodOver(period, now.getTime())) continue;
    update.add(periodAttribute('refused', period), '1');
  }
  return update;
}

function sumBySlot(settlements: readonly Settlement[]): Map<number, { usd: Usd; createdAtMs: number }> {
  const slots = new Map<number, { usd: Usd; createdAtMs: number }>();
  for (const { createdAtMs, pendingUsd } of settlements) {
    if (pendingUsd === '0') continue;
    const slot = slotOf(createdAtMs);
    slots.set(slot, { usd: addUsd(slots.get(slot)?.usd ?? '0', pendingUsd), createdAtMs });
  }
  return slots;
}

/** True when the settlement changes nothing. */
export function isEmptySettlement({ costUsd, pendingUsd, refusedPeriod }: Settlement): boolean {
  return costUsd === '0' && pendingUsd === '0' && refusedPeriod === undefined;
}
