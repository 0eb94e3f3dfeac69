/**
 * The built-in price table: the prices of `@pydantic/genai-prices`, with tiers, cache prices and dated price changes.
 *
 * The chat function imports this file only while it awaits a provider. Costs are calculated here and not by the
 * package, which adds up binary fractions and refuses usage that contradicts itself.
 */
import {
  type DatedPrices,
  findPricedModel,
  isDated,
  type ListPrices,
  type ModelPrices,
  type PricedModel,
  type TieredPrice,
} from './find-model.ts';
import type { PriceTable, RateLookup, TokenRates } from './price.ts';
import { priceDataVersion } from './price-data.ts';

/** Finding a model compares its name with all of the provider's. No caller's name is longer than 256 bytes. */
const findOnce = memoize<PricedModel | null>({ maxEntries: 1000, maxKeyLength: 300 });

export const priceTable: PriceTable = {
  version: priceDataVersion,
  ratesOf({ provider, model, at, inputTokens }) {
    const found = findOnce(`${provider}/${model}`, () => findPricedModel(provider, model));
    return found && tokenRates(pricesAt(found[1], at), inputTokens);
  },
};

export type Memoized<Value> = (key: string, compute: () => Value) => Value;

/** Keeps at most `maxEntries` values; a full cache is cleared, since frequent keys are soon back. */
export function memoize<Value extends object | null>({
  maxEntries,
  maxKeyLength,
}: {
  maxEntries: number;
  maxKeyLength: number;
}): Memoized<Value> {
  const cached = new Map<string, Value>();
  return (key, compute) => {
    const known = cached.get(key);
    if (known !== undefined) return known;
    const value = compute();
    if (key.length > maxKeyLength) return value;
    if (cached.size >= maxEntries) cached.clear();
    cached.set(key, value);
    return value;
  };
}

/** The prices that apply at a moment: some begin on a day, some apply during hours of each day. */
export function pricesAt(prices: ModelPrices, at: Date): ListPrices {
  if (!isDated(prices)) return prices;
  const [day = '', time = ''] = at.toISOString().split('T');
  return (prices.findLast((entry) => applies(entry, day, time)) ?? prices[0]).prices;
}

/** ISO 8601 days and times sort as text. */
function applies({ from, between }: DatedPrices, day: string, time: string): boolean {
  if (from !== undefined) return day >= from;
  if (between === undefined) return true;
  const [start, end] = between;
  return end < start ? time >= start || time < end : time >= start && time < end;
}

function tokenRates(prices: ListPrices, inputTokens: RateLookup['inputTokens']): TokenRates {
  // A model that the table knows without any price is free, such as `…:free` at OpenRouter.
  const otherwise = Object.keys(prices).length === 0 ? 0 : null;
  /** The price of the first key that has one: a token without its own price costs what its more general kind does. */
  const rate = (...keys: string[]) => {
    for (const key of keys) {
      const price = prices[key];
      if (price !== undefined) return priceInTier(price, inputTokens);
    }
    return otherwise;
  };
  return {
    usdPerMillion: {
      textInput: rate('input'),
      audioInput: rate('input_audio', 'input'),
      cachedTextInput: rate('cache_read', 'input'),
      cachedAudioInput: rate('cache_audio_read', 'input_audio', 'cache_read', 'input'),
      cacheWriteInput: rate('cache_write_5m', 'cache_write', 'input'),
      cacheWrite1hInput: rate('cache_write_1h') ?? defaultHourPrice(prices, rate('input')),
      textOutput: rate('output'),
      reasoningOutput: rate('output_reasoning', 'output'),
      audioOutput: rate('output_audio', 'output'),
      imageOutput: rate('output_image', 'output'),
    },
    usdPerMillionRequests: (rate('requests_kcount') ?? 0) * 1000,
    usdPerMillionWebSearches: perMillion(rate('web_searches_kcount')),
  };
}

/** The whole request is priced by the tier that all of its input falls into. */
function priceInTier(price: number | TieredPrice, inputTokens: number): number {
  if (typeof price === 'number') return price;
  const [base, ...tiers] = price;
  return tiers.findLast(([above]) => inputTokens > above)?.[1] ?? base;
}

/**
 * The table has the price of writing to a cache for an hour for Anthropic itself, and hardly ever for Claude elsewhere.
 * Providers that charge for cache writes charge twice the input price for an hour; the others take writes as input.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing, https://aws.amazon.com/bedrock/pricing/
 */
function defaultHourPrice(prices: ListPrices, input: number | null): number | null {
  return prices.cache_write === undefined || input === null ? input : 2 * input;
}

function perMillion(perThousand: number | null): number | null {
  return perThousand === null ? null : perThousand * 1000;
}
