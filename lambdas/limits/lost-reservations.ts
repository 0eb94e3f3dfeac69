/**
 * Reservations whose function has ended without a log entry. They stay in the counter until a request would be refused:
 * then the request itself releases them, or the rollup function does.
 */
import { addUsd, isPositive, type Usd } from '#lambdas/platform/money.ts';
import { type Counter, isSlotExpired, periodsAt, slotStartMs } from './counter.ts';

/** An expression has at most 4 kB and 300 operators. The caller releases the next ones if these are not enough. */
const maxReleasedSlots = 40;

export interface LostReservations {
  slots: readonly (readonly [slot: number, usd: Usd])[];
  /** Their release adds this to the room of each period. Periods without an attribute have had no reservation. */
  rooms: ReadonlyMap<string, Usd>;
}

/** `null` if none are lost. */
export function lostReservationsOf(counter: Counter, now: Date): LostReservations | null {
  const slots = [...counter.slots]
    .filter(([slot, usd]) => isPositive(usd) && isSlotExpired(slot, now.getTime()))
    .slice(0, maxReleasedSlots);
  if (slots.length === 0) return null;
  const rooms = new Map<string, Usd>();
  for (const [slot, usd] of slots) {
    for (const period of Object.values(periodsAt(slotStartMs(slot)))) {
      if (counter.periods.get(period)?.roomUsd == null) continue;
      rooms.set(period, addUsd(rooms.get(period) ?? '0', usd));
    }
  }
  return { slots, rooms };
}
