/** Explains the cost of a log entry. Imports the price table, so the log function loads this file on demand. */
import { isPriceOf, usageToPrice } from '#lambdas/costs/price-request.ts';
import { roundCharges, type Usd, usdFromNumber } from '#lambdas/platform/money.ts';
import type { CustomPriceDependencies } from '#lambdas/pricing/custom/lookup.ts';
import type { PriceSettingsByProvider } from '#lambdas/pricing/price-context.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import type { ChargeKind, Cost } from '#lambdas/pricing/rates.ts';
import { type PriceTable, priceTable } from '#lambdas/pricing/table/price-table.ts';
import { chargedPrice } from '#lambdas/request-log/charged-price.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';

/**
 * The charges of each part that is billed separately. The charges add up to their part, and the parts to the cost of the
 * entry.
 */
export type CostBreakdown = PartBreakdown[];

interface PartBreakdown {
  /** The model that served the part. */
  model: string;
  charges: ChargeBreakdown[];
  cost_usd: Usd;
}

interface ChargeBreakdown {
  type: string;
  count: number;
  /** For `per` of the counted tokens or units. */
  price_usd: Usd;
  per: number;
  cost_usd: Usd;
}

/** A name that is also a field of the entry has the same count; the others count a part of a field. */
export const chargeTypes = {
  textInput: 'uncached_text_input_tokens',
  audioInput: 'uncached_audio_input_tokens',
  imageInput: 'uncached_image_input_tokens',
  cachedTextInput: 'cached_text_input_tokens',
  cachedAudioInput: 'cached_audio_input_tokens',
  cachedImageInput: 'cached_image_input_tokens',
  cacheWriteInput: 'cache_write_5m_input_tokens',
  cacheWrite1hInput: 'cache_write_1h_input_tokens',
  textOutput: 'text_output_tokens',
  reasoningOutput: 'reasoning_tokens',
  audioOutput: 'audio_output_tokens',
  imageOutput: 'image_output_tokens',
  requests: 'requests',
  webSearches: 'web_searches',
  groundedRequests: 'grounded_requests',
  pageVisits: 'page_visits',
  fileSearches: 'file_searches',
  audioInputSeconds: 'audio_input_seconds',
} as const satisfies Record<ChargeKind, string>;

export interface CostBreakdownDependencies {
  customPrices: CustomPriceDependencies;
  settings: PriceSettingsByProvider;
  table?: PriceTable;
}

/**
 * Prices the entry again, as the chat function would. Returns `null` when that gives another cost or `pricing`, so that a
 * breakdown never explains a cost that was calculated with other prices. Rejects when the custom prices cannot be read.
 */
export async function costBreakdownOf(
  entry: LogEntry,
  { customPrices, settings, table = priceTable }: CostBreakdownDependencies,
): Promise<CostBreakdown | null> {
  const request = usageToPrice(entry, settings);
  if (request === null) return null;
  // Without its cache of a minute, which could have prices from before a reprice.
  const pricing = createPricing(customPrices, table);
  const { price, parts, costs } = await pricing.priceUsage(entry.organization_id, request);
  const charged = chargedPrice(price, entry);
  if (costs === null || charged.cost_usd !== price.cost_usd || !isPriceOf(entry, charged)) return null;
  const served = entry.response_model ?? request.model;
  return costs.map((cost, index) => toPart(parts[index]?.model ?? served, cost));
}

function toPart(model: string, { charges, usd }: Cost): PartBreakdown {
  const amounts = roundCharges(charges);
  return {
    model,
    charges: charges.map(({ kind, count, usd: price, per }, index) => ({
      type: chargeTypes[kind],
      count,
      price_usd: usdFromNumber(price),
      per,
      cost_usd: amounts[index] ?? '0',
    })),
    cost_usd: usd,
  };
}
