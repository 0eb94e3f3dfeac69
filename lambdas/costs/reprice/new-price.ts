/** What an entry costs by the prices of today's table, for entries that were priced before. */

import { subtractUsd } from '#lambdas/platform/money.ts';
import {
  type ConfiguredPrices,
  type Price,
  type PriceTable,
  priceUsage,
  type TokenPrices,
} from '#lambdas/pricing/price.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { usageOf } from '#lambdas/request-log/entry-usage.ts';

export interface Repricing {
  /** Which entries: those without a price, or also those that a price list priced. */
  entries: 'unknown' | 'all';
  table: PriceTable;
  settings: ConfiguredPrices;
}

/**
 * The price that the entry should have from now on, as chat would price it; `null` where it keeps what it has: what a
 * provider stated, what has no usage, what costs the same, and what has no price today, though it may have had one.
 */
export function newPriceOf(entry: LogEntry, { entries, table, settings }: Repricing): Price | null {
  const { provider, model, pricing } = entry;
  const isChosen = pricing === 'unknown' || (pricing === 'table' && entries === 'all');
  const usage = usageOf(entry);
  if (!isChosen || usage === null || provider === null || model === null) return null;
  const price = priceUsage(
    {
      provider,
      model,
      responseModel: entry.response_model,
      usage,
      statedCostUsd: null,
      at: new Date(entry.created_at),
      configuredPrices: configuredPrices(settings, provider),
    },
    table,
  );
  if (price.pricing === 'unknown') return null;
  const isSame = price.pricing === pricing && subtractUsd(price.cost_usd, entry.cost_usd) === '0';
  return isSame ? null : price;
}

function configuredPrices(settings: ConfiguredPrices, provider: string): TokenPrices | null {
  return (Object.hasOwn(settings, provider) && settings[provider]?.prices) || null;
}
