/** Sets and ends custom prices of one model for one scope. */

import { isDeepStrictEqual } from 'node:util';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import {
  type Actor,
  type AuditEvent,
  type AuditValue,
  type AuditValues,
  creatorOf,
} from '#lambdas/audit/record.ts';
import { usdFromNumber } from '#lambdas/platform/money.ts';
import type { TokenPriceList, TokenPricesByLength } from '../list-prices.ts';
import { isSameTier } from '../tier.ts';
import { type CustomPrice, customPriceAt, type PriceAuthor, providerOf } from './custom-price.ts';
import { customPriceDelayMs, customPriceTtlMs } from './lookup.ts';
import { type CustomPricesTable, type PriceScope, updateCustomPrices } from './store.ts';

export interface NewPrice {
  /** A service tier or speed as the provider names it; `null` for the standard tier. */
  tier: string | null;
  /** `null` ends the custom price of the tier. */
  price: TokenPricesByLength | null;
  /** `null` for the time from which on all functions use the price. */
  from: Date | null;
}

export interface PriceChanges {
  changed: readonly CustomPrice[];
  /** The prices that were the same as new ones, which were skipped. */
  unchanged: readonly CustomPrice[];
  /** Prices with a later start that an end has removed. */
  removed: readonly CustomPrice[];
  /** True when functions may have priced requests after a start without the change, so that a reprice is needed. */
  isLate: boolean;
}

interface Changes extends Omit<PriceChanges, 'isLate'> {
  /** The prices that were valid at the starts of the changed ones. */
  former: readonly CustomPrice[];
}

/**
 * Each price is valid until the next one of its tier, and replaces one with the same start. A price without an own start is
 * skipped if the current one is the same, so that the call can be repeated. Without `audit`, the caller records the change,
 * which the actor makes.
 */
export function setCustomPrices(
  table: CustomPricesTable,
  scope: PriceScope,
  newPrices: readonly NewPrice[],
  audit?: AuditTrail,
  actor: Actor | undefined = audit?.actor,
): Promise<PriceChanges> {
  const change = { table, scope, action: 'price.set', audit } as const;
  const set = authorOf(table, actor);
  return applyChange(change, (prices, defaultFrom) => {
    const former: CustomPrice[] = [];
    const changed: CustomPrice[] = [];
    const unchanged: CustomPrice[] = [];
    let result = prices;
    const sorted = newPrices.toSorted(
      (left, right) => startOf(left, defaultFrom) - startOf(right, defaultFrom),
    );
    for (const newPrice of sorted) {
      const added = toCustomPrice(newPrice, defaultFrom, set);
      const current = priceAtStart(result, scope, added);
      // A price with an own start ends an earlier price that is set later, even if it is the same as the current one.
      const mayBeSkipped = newPrice.from === null || current?.from === added.from;
      if (mayBeSkipped && isDeepStrictEqual(current?.price ?? null, added.price)) {
        unchanged.push(current ?? added);
        continue;
      }
      if (current !== null) former.push(current);
      result = inOrder([...result.filter((other) => !hasSameStart(other, added, scope)), added]);
      changed.push(added);
    }
    return { prices: result, result: { changed, unchanged, removed: [], former } };
  });
}

/** Ends the price of the tier at a time, and removes its prices that start later. `audit` is as in `setCustomPrices`. */
export function endCustomPrice(
  table: CustomPricesTable,
  scope: PriceScope,
  { tier, from }: Omit<NewPrice, 'price'>,
  audit?: AuditTrail,
): Promise<PriceChanges> {
  const change = { table, scope, action: 'price.removed', audit } as const;
  const set = authorOf(table, audit?.actor);
  return applyChange(change, (prices, defaultFrom) => {
    const end = toCustomPrice({ tier, price: null, from }, defaultFrom, set);
    const isRemoved = (price: CustomPrice) => price.from >= end.from && isOfTier(price, end, scope);
    const removed = prices.filter(isRemoved);
    const kept = prices.filter((price) => !isRemoved(price));
    const ended = priceAtStart(kept, scope, end);
    if (ended?.price) {
      const result = { changed: [end], unchanged: [], removed, former: [ended] };
      return { prices: inOrder([...kept, end]), result };
    }
    return {
      prices: removed.length === 0 ? prices : kept,
      result: { changed: [], unchanged: [], removed, former: [] },
    };
  });
}

/** Clocks can differ by some seconds. */
const clockToleranceMs = 5_000;

interface PriceChange {
  table: CustomPricesTable;
  scope: PriceScope;
  action: PriceEvent['action'];
  audit: AuditTrail | undefined;
}

async function applyChange(
  { table, scope, action, audit }: PriceChange,
  apply: (
    prices: readonly CustomPrice[],
    defaultFrom: Date,
  ) => { prices: readonly CustomPrice[]; result: Changes },
): Promise<PriceChanges> {
  const { former: _, ...changes } = await updateCustomPrices(
    table,
    scope,
    (prices) => apply(prices, new Date(table.now().getTime() + customPriceDelayMs)),
    audit && {
      trail: audit,
      eventOf: ({ former, removed, changed }) =>
        priceEvent({ ...scope, action, before: [...former, ...removed], after: changed }),
    },
  );
  const firstCertain = new Date(table.now().getTime() + customPriceTtlMs + clockToleranceMs).toISOString();
  const isLate = [...changes.changed, ...changes.removed].some(({ from }) => from < firstCertain);
  return { ...changes, isLate };
}

function startOf({ from }: NewPrice, defaultFrom: Date): number {
  return (from ?? defaultFrom).getTime();
}

function authorOf({ now }: CustomPricesTable, actor: Actor | undefined): PriceAuthor | null {
  return actor === undefined ? null : { by: creatorOf(actor).name, at: now().toISOString() };
}

function toCustomPrice(
  { tier, price, from }: NewPrice,
  defaultFrom: Date,
  set: PriceAuthor | null,
): CustomPrice {
  return { from: (from ?? defaultFrom).toISOString(), tier, price, ...(set && { set }) };
}

function priceAtStart(
  prices: readonly CustomPrice[],
  scope: PriceScope,
  { tier, from }: CustomPrice,
): CustomPrice | null {
  return customPriceAt(prices, { provider: providerOf(scope.model), tier, at: new Date(from) });
}

function hasSameStart(other: CustomPrice, added: CustomPrice, scope: PriceScope): boolean {
  return other.from === added.from && isOfTier(other, added, scope);
}

function isOfTier(price: CustomPrice, { tier }: CustomPrice, scope: PriceScope): boolean {
  return isSameTier(providerOf(scope.model), price.tier, tier);
}

function inOrder(prices: readonly CustomPrice[]): CustomPrice[] {
  return prices.toSorted((left, right) => (left.from < right.from ? -1 : Number(left.from > right.from)));
}

interface PriceEvent extends PriceScope {
  action: 'price.set' | 'price.removed';
  /** The prices that were replaced, ended or removed. */
  before: readonly CustomPrice[];
  /** The new prices and ends of prices. */
  after: readonly CustomPrice[];
}

function priceEvent({ action, model, organizationId, before, after }: PriceEvent): AuditEvent {
  return {
    action,
    organizationId,
    target: { type: 'price', id: model, name: null },
    before: valuesOf(before),
    after: valuesOf(after),
  };
}

function valuesOf(prices: readonly CustomPrice[]): AuditValues | null {
  return prices.length === 0 ? null : { prices: prices.map(priceValue) };
}

function priceValue({ from, tier, price }: CustomPrice): AuditValue {
  const above = price?.above ?? [];
  return {
    from,
    tier,
    prices: price && pricesValue(price.prices),
    ...(above.length > 0 && { above: above.map(([tokens, longer]) => [tokens, pricesValue(longer)]) }),
  };
}

/** As text, like all amounts: DynamoDB's numbers are read as text if they have decimals. */
function pricesValue(prices: TokenPriceList): AuditValues {
  return Object.fromEntries(Object.entries(prices).map(([kind, usd]) => [kind, usdFromNumber(usd)]));
}
