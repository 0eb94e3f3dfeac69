/** Finds the prices of single entries whose price is unknown or assumed, as the chat function does. */
import { lazy } from '#lambdas/platform/lazy.ts';
import type { CustomPriceDependencies } from '#lambdas/pricing/custom/lookup.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { PriceSettingsByProvider } from '#lambdas/pricing/price-context.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { hasUncertainPrice, replacementOf, usageToPrice } from '../price-request.ts';

interface PriceFinderDependencies {
  customPrices: CustomPriceDependencies;
  settings: PriceSettingsByProvider;
}

/** Resolves to `null` for an entry that keeps its price. Rejects when the custom prices cannot be read. */
export type FindPrice = (entry: LogEntry) => Promise<Price | null>;

/** Loads the price table on first use. */
export function createPriceFinder({ customPrices, settings }: PriceFinderDependencies): FindPrice {
  const loadPricing = lazy(async () => {
    const { createPricing } = await import('#lambdas/pricing/pricing.ts');
    return createPricing(customPrices);
  });
  return async (entry) => {
    const request = hasUncertainPrice(entry) ? usageToPrice(entry, settings) : null;
    if (request === null) return null;
    const pricing = await loadPricing();
    const { price, isCurrent } = await pricing.priceUsage(entry.organization_id, request);
    if (!isCurrent) throw new Error('The custom prices of the model cannot be read');
    return replacementOf(entry, price);
  };
}
