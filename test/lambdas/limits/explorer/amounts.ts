/** The amounts that the items of an owner have in a period. */

import {
  type CounterItem,
  isPeriodOver,
  kindOfPeriod,
  parseCounterItem,
  periodsAt,
  remainingOf,
  slotStartMs,
  spentIn,
} from '#lambdas/limits/counters/counter.ts';
import { amountLeasesOf, sumByPeriod } from '#lambdas/limits/counters/leases.ts';
import { fromAttributes } from '#lambdas/platform/dynamodb/attributes.ts';
import { addUsd, minUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import type { Attributes } from '#test/support/dynamodb/memory/values.ts';
import type { Owner, State } from './model.ts';

export interface Amounts {
  period: string;
  limitUsd: Usd;
  /** Without the deficits: those of items whose remaining budget is negative. */
  roomUsd: Usd;
  deficitUsd: Usd;
  spentUsd: Usd;
  pendingUsd: Usd;
  leasedUsd: Usd;
  expiredUsd: Usd;
}

const parsed = new WeakMap<Attributes, CounterItem>();

function itemOf({ table }: Pick<State, 'table'>, key: string): CounterItem {
  const attributes = table.get(key);
  if (attributes === undefined) throw new Error(`There is no item ${key}`);
  const known = parsed.get(attributes);
  if (known !== undefined) return known;
  const item = parseCounterItem(fromAttributes(attributes));
  parsed.set(attributes, item);
  return item;
}

/** For all periods that are not over. */
export function amountsOf(state: Pick<State, 'table' | 'nowMs'>, { keys }: Pick<Owner, 'keys'>): Amounts[] {
  const items = keys.map((key) => itemOf(state, key));
  const periods = new Set(items.flatMap((item) => [...item.periods.keys()]));
  return [...periods]
    .filter((period) => !isPeriodOver(period, state.nowMs))
    .map((period) => amountsIn(items, period, state.nowMs));
}

/** At a time at which no request of the period was received yet, everything remains. */
export function amountsAt(
  state: Pick<State, 'table' | 'nowMs'>,
  { keys }: Pick<Owner, 'keys'>,
  period: string,
): Amounts {
  return amountsIn(
    keys.map((key) => itemOf(state, key)),
    period,
    state.nowMs,
  );
}

function amountsIn(items: readonly CounterItem[], period: string, nowMs: number): Amounts {
  const sum = (amounts: readonly Usd[]) => amounts.reduce(addUsd, '0');
  const leases = items.flatMap(({ attributes }) => amountLeasesOf(attributes, nowMs));
  const leased = (isExpired: boolean) =>
    sumByPeriod(leases.filter((lease) => lease.isExpired === isExpired)).get(period) ?? '0';
  const rooms = items.map((item) => remainingOf(item, period));
  const slots = items.flatMap(({ pending }) => [...pending]);
  return {
    period,
    limitUsd: sum(items.map(({ limits }) => limits[kindOfPeriod(period)])),
    roomUsd: sum(rooms),
    deficitUsd: sum(rooms.map((room) => subtractUsd('0', minUsd(room, '0')))),
    spentUsd: spentIn(items, period),
    pendingUsd: sum(
      slots
        .filter(([slot]) => Object.values(periodsAt(slotStartMs(slot))).includes(period))
        .map(([, usd]) => usd),
    ),
    leasedUsd: leased(false),
    expiredUsd: leased(true),
  };
}

/** The amount that requests can reserve, also by the release of leases that have expired. */
export function availableUsd({ roomUsd, expiredUsd }: Amounts): Usd {
  return addUsd(roomUsd, expiredUsd);
}
