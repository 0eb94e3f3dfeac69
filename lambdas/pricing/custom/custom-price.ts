/** Prices that an operator sets without a deployment, for one organization or for all. */
import type { TokenPricesByLength } from '../list-prices.ts';
import { isSameTier } from '../tier.ts';

/** Valid from its start until the start of the next price of the same model, tier and scope. */
export interface CustomPrice {
  /** RFC 3339 in UTC with milliseconds, so that times can be compared as text. */
  from: string;
  /** A service tier or speed as the provider names it; `null` for the standard tier. */
  tier: string | null;
  /** `null` when the tier has no custom price from this time on. */
  price: TokenPricesByLength | null;
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

export interface PriceTime {
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
