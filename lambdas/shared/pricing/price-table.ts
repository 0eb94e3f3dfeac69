/**
 * The built-in price table: `@pydantic/genai-prices`, with tiers, cache prices and dated snapshots.
 *
 * It is half a megabyte, so the chat function imports this file only while it awaits a provider.
 */
import { calcPrice } from '@pydantic/genai-prices';
import { type PriceTable, tableUsage } from './price.ts';

export const priceTable: PriceTable = {
  version: 'genai-prices 0.1.8',
  costOf({ provider, usage, at }, model) {
    const price = calcPrice(tableUsage(usage), model, { providerId: provider, timestamp: at });
    return price?.total_price ?? null;
  },
};
