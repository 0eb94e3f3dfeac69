/** Plans from which items of a counter a request takes the amount that it reserves. */
import {
  addUsd,
  isPositive,
  maxUsd,
  minUsd,
  subtractUsd,
  toUnits,
  type Usd,
} from '#lambdas/platform/money.ts';
import { type CounterItem, periodsAt, remainingOf } from './counter.ts';
import { type AmountLease, expiredAmountsOf, sumByPeriod } from './leases.ts';

/** The changes of one item. */
export interface Take {
  changes: readonly RemainingChange[];
  /** The reserved amount; 0 in an item that only gives to the one with the lease. */
  leasedUsd: Usd;
  /** The leases that the write releases: it fails if one has changed. */
  expired: readonly AmountLease[];
}

interface RemainingChange {
  period: string;
  /** Added to the remaining budget. */
  usd: Usd;
  /** The write fails if less remains; `null` if nothing is taken. */
  requiredUsd: Usd | null;
}

interface Reserved {
  usd: Usd;
  /** When the request was received. */
  atMs: number;
}

/** From one item, whatever its state. */
export function simpleTake({ usd, atMs }: Reserved): Take {
  const { day, month } = periodsAt(atMs);
  const change = { usd: subtractUsd('0', usd), requiredUsd: usd };
  return {
    changes: [
      { period: day, ...change },
      { period: month, ...change },
    ],
    leasedUsd: usd,
    expired: [],
  };
}

/**
 * The takes by item, of the first one with the lease; `null` if the items together have too little, also after all leases of
 * killed functions are released. What another item owes is missing to all.
 */
export function planTakes(
  items: readonly CounterItem[],
  reserved: Reserved,
  nowMs: number,
): ReadonlyMap<CounterItem, Take> | null {
  const periods = Object.values(periodsAt(reserved.atMs));
  const released = new Map(
    items.map((item) => {
      const expired = expiredAmountsOf(item.attributes, nowMs);
      return [item, { expired, byPeriod: sumByPeriod(expired) }];
    }),
  );
  const releasedIn = (item: CounterItem, period: string) => released.get(item)?.byPeriod.get(period) ?? '0';
  const availableIn = (item: CounterItem, period: string) =>
    addUsd(remainingOf(item, period), releasedIn(item, period));

  const taken = new Map<CounterItem, Map<string, Usd>>(items.map((item) => [item, new Map()]));
  for (const period of periods) {
    const total = items.map((item) => availableIn(item, period)).reduce(addUsd, '0');
    if (toUnits(total) < toUnits(reserved.usd)) return null;
    let missing = reserved.usd;
    for (const item of items) {
      const usd = minUsd(missing, maxUsd('0', availableIn(item, period)));
      taken.get(item)?.set(period, usd);
      missing = subtractUsd(missing, usd);
    }
  }

  const takes = new Map<CounterItem, Take>();
  for (const [index, item] of items.entries()) {
    const { expired = [], byPeriod = new Map<string, Usd>() } = released.get(item) ?? {};
    const stored = [...byPeriod.keys()].filter((period) => item.periods.get(period)?.remainingUsd != null);
    const changes = [...new Set([...periods, ...stored])].flatMap((period): RemainingChange[] => {
      const takenUsd = taken.get(item)?.get(period) ?? '0';
      const usd = subtractUsd(releasedIn(item, period), takenUsd);
      if (usd === '0' && takenUsd === '0') return [];
      return [{ period, usd, requiredUsd: isPositive(takenUsd) ? subtractUsd('0', usd) : null }];
    });
    const leasedUsd = index === 0 ? reserved.usd : '0';
    if (changes.length > 0 || leasedUsd !== '0') takes.set(item, { changes, leasedUsd, expired });
  }
  return takes;
}
