/** Looks up the prices of requests to one model in one tier, as the chat function does. */
import { readProviderAccess } from '#lambdas/inference/providers/catalog.ts';
import { providerEndpoint } from '#lambdas/inference/providers/endpoint.ts';
import type { ProviderSettings, ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { providerOf } from '#lambdas/pricing/custom/custom-price.ts';
import { contextBounds } from '#lambdas/pricing/list-prices.ts';
import { type FoundRates, type PriceSources, rateFinders } from '#lambdas/pricing/precedence.ts';
import type { RateLookup } from '#lambdas/pricing/price-context.ts';
import { findTablePrices, priceTable } from '#lambdas/pricing/table/price-table.ts';

export type RequestLookup = Omit<RateLookup, 'contextTokens'>;

interface TierRequest {
  /** `<provider>/<model>`. */
  model: string;
  /** `null` for the standard tier. */
  tier: string | null;
  at: Date;
}

/** The lookup of a request to the provider's configured address, in no special place. */
export function lookupOf({ model, tier, at }: TierRequest, settings: ProviderSettingsByName): RequestLookup {
  const provider = providerOf(model);
  const name = model.slice(provider.length + 1);
  const access = readProviderAccess(settings).find((candidate) => candidate.name === provider);
  const endpoint = access === undefined ? { host: '', region: null } : providerEndpoint(access, undefined);
  const region = priceTable.findRegion({ provider, model: name, ...endpoint });
  const context = { serviceTier: tier, speed: null, inferenceGeo: null, region };
  return { provider, model: name, context, at };
}

/** Uses `hasOwn` since the operator may call a provider `constructor`, for example. */
export function settingsOf(model: string, settings: ProviderSettingsByName): ProviderSettings {
  const provider = providerOf(model);
  return (Object.hasOwn(settings, provider) && settings[provider]) || {};
}

/** Returns `null` for requests without a price. */
export function findPrice(
  lookup: RequestLookup,
  sources: PriceSources,
  contextTokens: number,
): FoundRates | null {
  for (const findRates of rateFinders(sources, priceTable)) {
    const found = findRates({ ...lookup, contextTokens });
    if (found !== null) return found;
  }
  return null;
}

/** The numbers of input tokens above which the requests have other prices, in ascending order. */
export function boundsOf(lookup: RequestLookup, sources: PriceSources): number[] {
  const origin = findPrice(lookup, sources, 0)?.origin;
  if (origin === undefined) return [];
  return contextBounds(origin.source === 'table' ? (findTablePrices(lookup)?.prices ?? {}) : origin.prices);
}
