/** Pricing as the chat function uses it. It loads this file, with the price table, while it waits for the provider. */
import { noCustomPrices } from './custom/custom-price.ts';
import { type CustomPriceTable, createCustomPriceLookup } from './custom/lookup.ts';
import { namesToPrice, type PricedUsage, type PriceRequest, priceUsage } from './price.ts';
import type { PriceTable } from './price-table.ts';
import { priceTable } from './price-table.ts';

export interface Pricing extends Pick<PriceTable, 'findRegion'> {
  /** Begins to read the custom prices of a model, so that they are in the cache when its usage is known. */
  prefetch(organizationId: string, provider: string, model: string): void;
  /** Rejects when the custom prices cannot be read. */
  priceUsage(organizationId: string, request: PriceRequest): Promise<PricedUsage>;
}

export function createPricing(customPriceTable: CustomPriceTable, table = priceTable): Pricing {
  const findCustomPrices = createCustomPriceLookup(customPriceTable);
  return {
    findRegion: table.findRegion,
    prefetch(organizationId, provider, model) {
      // `priceUsage` reads again after a failure.
      findCustomPrices(organizationId, `${provider}/${model}`).catch(() => {});
    },
    async priceUsage(organizationId, request) {
      const names = namesToPrice(request);
      const reads = names.map((name) => findCustomPrices(organizationId, `${request.provider}/${name}`));
      const customPrices = new Map((await Promise.all(reads)).map((found, index) => [names[index], found]));
      return priceUsage(request, table, (name) => customPrices.get(name) ?? noCustomPrices);
    },
  };
}
