/** What a request costs: its usage, priced once. */
import type { LogEntry } from '../domain/log-entry.ts';
import type { TokenPrices } from '../domain/provider-settings.ts';
import { inputTokens, type TokenUsage } from '../domain/usage.ts';
import { type Usd, usdFromNumber } from '../domain/usd.ts';

export interface PriceRequest {
  provider: string;
  /** The model that was asked for. */
  model: string;
  /** What the provider says it served: looked up first, since a dated snapshot can have a price of its own. */
  responseModel: string | null;
  usage: TokenUsage;
  /** Prices change; those of this moment hold. */
  at: Date;
  /** The operator's own prices for this provider, instead of the table's. */
  configuredPrices: TokenPrices | null;
}

export type Price = Pick<LogEntry, 'cost_usd' | 'pricing' | 'pricing_version'>;

/** A price table: US dollars, or `null` for a model that it does not know. */
export interface PriceTable {
  version: string;
  costOf(request: PriceRequest, model: string): number | null;
}

export function priceUsage(request: PriceRequest, table: PriceTable): Price {
  if (request.configuredPrices !== null) {
    const cost_usd = usdFromNumber(costAt(request.configuredPrices, request.usage));
    return { cost_usd, pricing: 'table', pricing_version: 'configuration' };
  }
  const cost_usd = costFromTable(request, table);
  return {
    cost_usd: cost_usd ?? '0',
    pricing: cost_usd === null ? 'unknown' : 'table',
    pricing_version: table.version,
  };
}

function costFromTable(request: PriceRequest, table: PriceTable): Usd | null {
  for (const model of new Set([request.responseModel, request.model])) {
    const cost = model === null ? null : table.costOf(request, model);
    if (cost !== null) return usdFromNumber(cost);
  }
  return null;
}

function costAt(prices: TokenPrices, usage: TokenUsage): number {
  const perMillion =
    usage.freshInputTokens * prices.input +
    usage.cachedInputTokens * (prices.cachedInput ?? prices.input) +
    usage.cacheWriteInputTokens * (prices.cacheWriteInput ?? prices.input) +
    usage.outputTokens * prices.output;
  return perMillion / 1_000_000;
}

/** Usage in the terms of the price table, whose input includes what a cache served or took. */
export function tableUsage(usage: TokenUsage) {
  return {
    input_tokens: inputTokens(usage),
    cache_read_tokens: usage.cachedInputTokens,
    cache_write_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
  };
}
