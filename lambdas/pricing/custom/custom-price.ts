/** Prices that an operator sets without a deployment, for one organization or for all. */

import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { isJsonObject } from '#lambdas/platform/json/json.ts';
import { type TokenPriceList, type TokenPricesByLength, tokenPriceNames } from '../list-prices.ts';
import { isSameTier } from '../tier.ts';
import { pricesSchema } from './schema.ts';

/** Valid from its start until the start of the next price of the same model, tier and scope. */
export interface CustomPrice {
  /** RFC 3339 in UTC with milliseconds, so that times can be compared as text. */
  from: string;
  /** A service tier or speed as the provider names it; `null` for the standard tier. */
  tier: string | null;
  /** `null` when the tier has no custom price from this time on. */
  price: TokenPricesByLength | null;
  /** The last change of it; absent if its author was not given. */
  set?: PriceAuthor;
}

export interface PriceAuthor {
  /** The name of the user or of the operator's AWS identity. */
  by: string;
  /** RFC 3339. */
  at: string;
}

/** The custom prices of a model that can apply to the requests of one organization, oldest first. */
export interface CustomPrices {
  /** The organization's own prices, which take precedence. */
  organization: readonly CustomPrice[];
  all: readonly CustomPrice[];
}

export const noCustomPrices: CustomPrices = { organization: [], all: [] };

/** `model` is `<provider>/<model>`. */
export function providerOf(model: string): string {
  return model.slice(0, model.indexOf('/'));
}

interface PriceTime {
  provider: string;
  tier: string | null;
  at: Date;
}

export function customPriceAt(
  prices: readonly CustomPrice[],
  { provider, tier, at }: PriceTime,
): CustomPrice | null {
  const time = at.toISOString();
  return prices.findLast((price) => price.from <= time && isSameTier(provider, price.tier, tier)) ?? null;
}

const { partitionKey, sortKey } = pricesSchema;

/** The scope of prices for all organizations. */
export const scopeOfAll = 'all';

export interface StoredPrices {
  /** Oldest first. */
  prices: readonly CustomPrice[];
  /** Only in the item for all organizations: true when any organization has had its own prices of the model. */
  hasOrganizationPrices: boolean;
  /** A new value for each change of `prices`; `null` before the first. */
  revision: string | null;
}

export const noStoredPrices: StoredPrices = { prices: [], hasOrganizationPrices: false, revision: null };

/** `model` is `<provider>/<model>`. */
export const priceItemKey = (model: string, scope: string): Item => ({
  [partitionKey]: model,
  [sortKey]: scope,
});

/** Throws an `Error` for an item that the gateway has not written. */
export function fromPriceItem(item: Item): StoredPrices {
  const { prices = [], has_organization_prices = false, revision } = item;
  if (!Array.isArray(prices)) throw invalidItemError(item);
  return {
    prices: prices.map((price) => {
      const parsed = toCustomPrice(price);
      if (parsed === null) throw invalidItemError(item);
      return parsed;
    }),
    hasOrganizationPrices: has_organization_prices === true,
    revision: typeof revision === 'string' ? revision : null,
  };
}

export function toPriceAttributes(prices: readonly CustomPrice[]): Item[] {
  return prices.map(({ from, tier, price, set }) => ({
    from,
    ...(tier !== null && { tier }),
    ...(price !== null && { prices: price.prices }),
    ...(price !== null && price.above.length > 0 && { above: price.above }),
    ...(set !== undefined && { set_by: set.by, set_at: set.at }),
  }));
}

function toCustomPrice(value: unknown): CustomPrice | null {
  if (!isJsonObject(value)) return null;
  const { from, tier = null, prices, above = [], set_by: by, set_at: at } = value;
  if (typeof from !== 'string' || (tier !== null && typeof tier !== 'string')) return null;
  const set = typeof by === 'string' && typeof at === 'string' ? { set: { by, at } } : {};
  if (prices === undefined) return { from, tier, price: null, ...set };
  const price = toPrice(prices, above);
  return price && { from, tier, price, ...set };
}

function toPrice(prices: unknown, above: unknown): TokenPricesByLength | null {
  const list = toTokenPrices(prices);
  if (list === null || !Array.isArray(above)) return null;
  const longer = above.map((tier: unknown) => {
    const [bound, tierPrices] = Array.isArray(tier) ? tier : [];
    const tierList = toTokenPrices(tierPrices);
    return tierList && ([Number(bound), tierList] as const);
  });
  return longer.every((tier) => tier !== null) ? { prices: list, above: longer } : null;
}

/** DynamoDB's numbers are read as text if they have decimals. */
function toTokenPrices(value: unknown): TokenPriceList | null {
  if (!isJsonObject(value)) return null;
  const names = tokenPriceNames.filter((name) => value[name] !== undefined);
  const prices = Object.fromEntries(names.map((name) => [name, Number(value[name])]));
  const { input, output } = prices;
  if (input === undefined || output === undefined || Object.values(prices).some(Number.isNaN)) return null;
  return { ...prices, input, output };
}

function invalidItemError(item: Item): Error {
  const key = `model "${item[partitionKey]}" and scope "${item[sortKey]}"`;
  return new Error(
    `The item of the Prices table with ${key} is not valid: delete it and set its prices again`,
  );
}
