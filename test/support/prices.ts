import type { KnownPrices } from '#lambdas/costs/price-request.ts';
import { noCustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import type { CustomPriceDependencies } from '#lambdas/pricing/custom/lookup.ts';
import { snapshotOf } from '#lambdas/pricing/custom/store.ts';
import type { PriceRequest } from '#lambdas/pricing/price.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';

/** A Prices table without items. */
export const emptyPriceTable: CustomPriceDependencies = {
  calls: { get: async () => null },
  tableName: 'Prices',
  now: () => new Date(),
};

/** The price table alone. */
export const builtInPrices: KnownPrices = { table: priceTable, settings: {}, customPrices: snapshotOf([]) };

/** No usage of `gpt-4o` in the standard tier. */
export const examplePriceRequest: PriceRequest = {
  provider: 'openai',
  model: 'gpt-4o',
  responseModel: 'gpt-4o-2024-08-06',
  context: { serviceTier: null, speed: null, inferenceGeo: null, region: null },
  parts: [{ model: null, usage: noUsage }],
  gaps: [],
  reportedCostUsd: null,
  at: new Date('2026-11-01T00:00:00Z'),
  settings: {},
  findCustomPrices: () => noCustomPrices,
};
