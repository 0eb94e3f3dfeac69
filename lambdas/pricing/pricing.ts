/**
 * Pricing as the chat function uses it. It loads this file, with the price table, while it waits for the provider.
 *
 * - *List prices* are what a provider publishes for kinds of tokens and units; the *price table* has those of all models.
 * - *Custom prices* replace them for a model, *token prices* in the settings for a provider.
 * - *Rates* are the prices of every kind in one price context: tier, speed, place, length of the input.
 * - The *price* of a request is its cost at these rates, with the source and the gaps of the rates.
 */
import { noCustomPrices } from './custom/custom-price.ts';
import { type CustomPriceDependencies, createCustomPriceLookup } from './custom/lookup.ts';
import { findMaxRates, type MaxRates, type MaxRatesRequest } from './max-rates.ts';
import { namesToPrice, type PricedUsage, type PriceRequest, priceUsage } from './price.ts';
import { type PriceTable, priceTable } from './table/price-table.ts';

export interface Pricing extends Pick<PriceTable, 'findRegion'> {
  /** Begins to read the custom prices of a model, so that they are in the cache when its usage is known. */
  prefetch(organizationId: string, provider: string, model: string): void;
  /** Rejects when the custom prices could never be read. */
  priceUsage(
    organizationId: string,
    request: Omit<PriceRequest, 'findCustomPrices'>,
  ): Promise<PricedUsage & PriceCurrency>;
  /** Resolves to `null` for a model without a price. Rejects when the custom prices could never be read. */
  findMaxRates(
    organizationId: string,
    request: Omit<MaxRatesRequest, 'findCustomPrices'>,
  ): Promise<MaxRates | null>;
}

interface PriceCurrency {
  /** False when the custom prices cannot be read at present, and may have changed before the request was received. */
  isCurrent: boolean;
}

export function createPricing(dependencies: CustomPriceDependencies, table = priceTable): Pricing {
  const lookUp = createCustomPriceLookup(dependencies);
  return {
    findRegion: table.findRegion,
    prefetch(organizationId, provider, model) {
      // `priceUsage` reads again after a failure.
      lookUp(organizationId, `${provider}/${model}`).catch(() => {});
    },
    async priceUsage(organizationId, request) {
      // A cost that the response states needs no price.
      const names = request.reportedCostUsd === null ? namesToPrice(request) : [];
      const found = await Promise.all(
        names.map((name) => lookUp(organizationId, `${request.provider}/${name}`)),
      );
      const customPrices = new Map(names.map((name, index) => [name, found[index]?.prices]));
      const findCustomPrices = (name: string) => customPrices.get(name) ?? noCustomPrices;
      const isCurrent = found.every(({ validUntilMs }) => request.at.getTime() < validUntilMs);
      return { ...priceUsage({ ...request, findCustomPrices }, table), isCurrent };
    },
    async findMaxRates(organizationId, request) {
      const { prices } = await lookUp(organizationId, `${request.provider}/${request.model}`);
      return findMaxRates({ ...request, findCustomPrices: () => prices }, table);
    },
  };
}
