/**
 * The built-in price table: the prices of `@pydantic/genai-prices`, with tiers, cache prices and dated price changes.
 *
 * The chat function imports this file while it waits for the provider's response. The gateway calculates costs itself,
 * since the package adds binary floating-point numbers and rejects contradictory usage.
 */
import {
  findPricedModel,
  isSchedule,
  type ListPrices,
  type ModelPrices,
  type PricedModel,
  type ScheduledPrices,
  type TieredPrice,
} from './find-model.ts';
import type { PriceTable, RateLookup, TokenRates } from './price.ts';
import { priceDataVersion } from './price-data.ts';

/** A lookup compares the name with all models of the provider. Callers' model names have at most 256 bytes. */
const memoized = memoize<PricedModel | null>({ maxEntries: 1000, maxKeyLength: 300 });

export const priceTable: PriceTable = {
  version: priceDataVersion,
  findRates({ provider, model, at, inputTokens }) {
    const found = memoized(`${provider}/${model}`, () => findPricedModel(provider, model));
    return found && tokenRates(pricesAt(found[1], at), inputTokens);
  },
};

export type Memoized<Value> = (key: string, compute: () => Value) => Value;

/** Caches at most `maxEntries` values. A full cache is cleared: frequent keys are soon cached again. */
export function memoize<Value extends object | null>({
  maxEntries,
  maxKeyLength,
}: {
  maxEntries: number;
  maxKeyLength: number;
}): Memoized<Value> {
  const cached = new Map<string, Value>();
  return (key, compute) => {
    const hit = cached.get(key);
    if (hit !== undefined) return hit;
    const value = compute();
    if (key.length > maxKeyLength) return value;
    if (cached.size >= maxEntries) cached.clear();
    cached.set(key, value);
    return value;
  };
}

export function pricesAt(prices: ModelPrices, at: Date): ListPrices {
  if (!isSchedule(prices)) return prices;
  const [day = '', time = ''] = at.toISOString().split('T');
  return (prices.findLast((entry) => applies(entry, day, time)) ?? prices[0]).prices;
}

/** ISO 8601 days and times sort as text. */
function applies({ from, between }: ScheduledPrices, day: string, time: string): boolean {
  if (from !== undefined) return day >= from;
  if (between === undefined) return true;
  const [start, end] = between;
  return end < start ? time >= start || time < end : time >= start && time < end;
}

function tokenRates(prices: ListPrices, inputTokens: RateLookup['inputTokens']): TokenRates {
  // A model of the table without any price is free, such as OpenRouter's `…:free`.
  const defaultRate = Object.keys(prices).length === 0 ? 0 : null;
  /** Returns the first price found: a kind of token without its own price has the price of a more general kind. */
  const rate = (...keys: string[]) => {
    for (const key of keys) {
      const price = prices[key];
      if (price !== undefined) return priceInTier(price, inputTokens);
    }
    return defaultRate;
  };
  return {
    usdPerMillion: {
      textInput: rate('input'),
      audioInput: rate('input_audio', 'input'),
      cachedTextInput: rate('cache_read', 'input'),
      cachedAudioInput: rate('cache_audio_read', 'input_audio', 'cache_read', 'input'),
      cacheWriteInput: rate('cache_write_5m', 'cache_write', 'input'),
      cacheWrite1hInput: rate('cache_write_1h') ?? defaultCacheWrite1hPrice(prices, rate('input')),
      textOutput: rate('output'),
      reasoningOutput: rate('output_reasoning', 'output'),
      audioOutput: rate('output_audio', 'output'),
      imageOutput: rate('output_image', 'output'),
    },
    usdPerMillionRequests: (rate('requests_kcount') ?? 0) * 1000,
    usdPerMillionWebSearches: perMillion(rate('web_searches_kcount')),
  };
}

function priceInTier(price: number | TieredPrice, inputTokens: number): number {
  if (typeof price === 'number') return price;
  const [base, ...tiers] = price;
  return tiers.findLast(([above]) => inputTokens > above)?.[1] ?? base;
}

/**
 * The price of cache writes for an hour when the table has none, as for most Claude models of other providers.
 * Providers that charge for cache writes charge twice the input price for an hour; for others, cache writes are input.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing, https://aws.amazon.com/bedrock/pricing/
 */
function defaultCacheWrite1hPrice(prices: ListPrices, input: number | null): number | null {
  return prices.cache_write === undefined || input === null ? input : 2 * input;
}

function perMillion(perThousand: number | null): number | null {
  return perThousand === null ? null : perThousand * 1000;
}
