/** Adds, replaces and ends custom prices of one model for one scope. */
import { isDeepStrictEqual } from 'node:util';
import type { TokenPricesByLength } from '../list-prices.ts';
import { isSameTier } from '../tier.ts';
import { type CustomPrice, customPriceAt } from './custom-price.ts';
import { customPriceDelayMs, customPriceTtlMs } from './lookup.ts';
import { changeCustomPrices, type PriceScope, type PricesTable } from './store.ts';

export interface NewPrice {
  /** A service tier or speed as the provider names it; `null` for the standard tier. */
  tier: string | null;
  /** `null` ends the custom price of the tier. */
  price: TokenPricesByLength | null;
  /** By default as soon as all functions use the price. */
  from: Date | null;
}

export interface PriceChanges {
  changed: readonly CustomPrice[];
  /** Existing prices that are the same as new ones, which were skipped. */
  unchanged: readonly CustomPrice[];
  /** Prices of the same tier with a later start, which were removed. */
  removed: readonly CustomPrice[];
  /** True when functions may have priced requests after a start without the new price, so that a reprice is needed. */
  isLate: boolean;
}

/** Keeps the item of a scope below DynamoDB's limit of 400 kB. */
const maxPrices = 1_000;

/**
 * Each price is valid until the next one of its tier, and replaces one with the same start. A price without an own start is
 * skipped if the current one is the same, so that the call can be repeated.
 */
export function setCustomPrices(
  table: PricesTable,
  scope: PriceScope,
  newPrices: readonly NewPrice[],
): Promise<PriceChanges> {
  return change(table, scope, (prices, defaultFrom) => {
    const changed: CustomPrice[] = [];
    const unchanged: CustomPrice[] = [];
    let result = prices;
    for (const { tier, price, from } of newPrices) {
      const added = toCustomPrice({ tier, price, from }, defaultFrom);
      const current = priceAtStart(result, scope, added);
      // A price with an own start ends an earlier price that is set later, even if it is the same as the current one.
      const mayBeSkipped = from === null || current?.from === added.from;
      if (mayBeSkipped && isDeepStrictEqual(current?.price ?? null, price)) {
        unchanged.push(current ?? added);
        continue;
      }
      result = inOrder([...result.filter((other) => !isReplaced(other, added, scope)), added]);
      changed.push(added);
    }
    return { prices: result, changed, unchanged, removed: [] };
  });
}

/** Ends the price of the tier at a time, and removes its prices that start later. */
export function endCustomPrice(
  table: PricesTable,
  scope: PriceScope,
  { tier, from }: Omit<NewPrice, 'price'>,
): Promise<PriceChanges> {
  return change(table, scope, (prices, defaultFrom) => {
    const end = toCustomPrice({ tier, price: null, from }, defaultFrom);
    const isRemoved = (price: CustomPrice) => price.from >= end.from && isOfTier(price, end, scope);
    const kept = prices.filter((price) => !isRemoved(price));
    const isEnded = (priceAtStart(kept, scope, end)?.price ?? null) !== null;
    return {
      prices: isEnded ? inOrder([...kept, end]) : kept,
      changed: isEnded ? [end] : [],
      unchanged: [],
      removed: prices.filter(isRemoved),
    };
  });
}

interface AppliedChanges extends Omit<PriceChanges, 'isLate'> {
  prices: readonly CustomPrice[];
}

async function change(
  table: PricesTable,
  scope: PriceScope,
  apply: (prices: readonly CustomPrice[], defaultFrom: Date) => AppliedChanges,
): Promise<PriceChanges> {
  let changes: Omit<PriceChanges, 'isLate'> = { changed: [], unchanged: [], removed: [] };
  await changeCustomPrices(table, scope, (current) => {
    const { prices, ...applied } = apply(current, new Date(table.now().getTime() + customPriceDelayMs));
    if (prices.length > maxPrices) {
      throw new RangeError(
        `${scope.model} would have more than ${maxPrices} custom prices: remove them with "price remove --from TIME" and set those that still apply`,
      );
    }
    changes = applied;
    return applied.changed.length + applied.removed.length === 0 ? current : prices;
  });
  const firstCertain = new Date(table.now().getTime() + customPriceTtlMs).toISOString();
  const isLate = [...changes.changed, ...changes.removed].some(({ from }) => from < firstCertain);
  return { ...changes, isLate };
}

function toCustomPrice({ tier, price, from }: NewPrice, defaultFrom: Date): CustomPrice {
  return {
    from: (from ?? defaultFrom).toISOString(),
    tier,
    price,
  };
}

function priceAtStart(
  prices: readonly CustomPrice[],
  scope: PriceScope,
  { tier, from }: CustomPrice,
): CustomPrice | null {
  return customPriceAt(prices, { provider: providerOf(scope), tier, at: new Date(from) });
}

function isReplaced(other: CustomPrice, added: CustomPrice, scope: PriceScope): boolean {
  return other.from === added.from && isOfTier(other, added, scope);
}

function isOfTier(price: CustomPrice, { tier }: CustomPrice, scope: PriceScope): boolean {
  return isSameTier(providerOf(scope), price.tier, tier);
}

function providerOf({ model }: PriceScope): string {
  return model.slice(0, model.indexOf('/'));
}

function inOrder(prices: readonly CustomPrice[]): CustomPrice[] {
  return prices.toSorted((left, right) => (left.from < right.from ? -1 : Number(left.from > right.from)));
}
