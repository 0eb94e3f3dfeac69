/**
 * The built-in price table: the prices of `@pydantic/genai-prices`, with tiers, cache prices and dated price changes.
 *
 * The chat function imports this file only while it awaits a provider. Costs are our own: the package adds up binary
 * fractions and refuses usage that contradicts itself.
 */
import {
  type DatedPrices,
  findModel,
  isDated,
  type ListPrices,
  type ModelPrices,
  type PricedModel,
  type TieredPrice,
} from './find-model.ts';
import type { PriceTable, RateLookup, TokenRates } from './price.ts';
import { priceDataVersion } from './price-data.ts';
import { modelNamesInTable, providerInTable } from './table-names.ts';

/** To find a model, its name is matched against all of the provider's. No caller's name is longer than 256 bytes. */
const remember = createBoundedMemory<PricedModel | null>({ entries: 1000, longestKey: 300 });

export const priceTable: PriceTable = {
  version: priceDataVersion,
  ratesOf({ provider, model, at, inputTokens }) {
    const found = remember(`${provider}/${model}`, () => findByAnyName(provider, model));
    return found && tokenRates(pricesAt(found[1], at), inputTokens);
  },
};

function findByAnyName(provider: string, model: string): PricedModel | null {
  for (const name of modelNamesInTable(provider, model)) {
    const found = findModel(providerInTable(provider), name);
    if (found !== null) return found;
  }
  return null;
}

function tokenRates(prices: ListPrices, inputTokens: RateLookup['inputTokens']): TokenRates {
  // A model that the table knows and has no prices of is free, such as `…:free` at OpenRouter.
  const otherwise = Object.keys(prices).length === 0 ? 0 : null;
  /** Of the first key that has a price: a token without a price of its own costs what its more general kind does. */
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
      cacheWrite1hInput: rate('cache_write_1h') ?? withoutHourPrice(prices, rate('input')),
      textOutput: rate('output'),
      reasoningOutput: rate('output_reasoning', 'output'),
      audioOutput: rate('output_audio', 'output'),
      imageOutput: rate('output_image', 'output'),
    },
    usdPerMillionRequests: (rate('requests_kcount') ?? 0) * 1000,
    usdPerMillionWebSearches: perMillion(rate('web_searches_kcount')),
  };
}

function perMillion(perThousand: number | null): number | null {
  return perThousand === null ? null : perThousand * 1000;
}

/**
 * The table has the hour's price of Anthropic itself, and hardly of Claude elsewhere. Whoever charges for writing
 * for an hour charges twice the input price; whoever does not charge for writing takes it as input.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing, https://aws.amazon.com/bedrock/pricing/
 */
function withoutHourPrice(prices: ListPrices, input: number | null): number | null {
  return prices.cache_write === undefined || input === null ? input : 2 * input;
}

/** The whole request is priced by the tier that all of its input falls into. */
function priceInTier(price: number | TieredPrice, inputTokens: number): number {
  if (typeof price === 'number') return price;
  const [base, ...tiers] = price;
  return tiers.findLast(([above]) => inputTokens > above)?.[1] ?? base;
}

// The prices of a model that hold at a moment: some begin on a day, some hold for hours of each day.

export function pricesAt(prices: ModelPrices, at: Date): ListPrices {
  if (!isDated(prices)) return prices;
  const [day = '', time = ''] = at.toISOString().split('T');
  return (prices.findLast((entry) => holds(entry, day, time)) ?? prices[0]).prices;
}

/** Days and times as ISO 8601 writes them are in the order of their letters. */
function holds({ from, between }: DatedPrices, day: string, time: string): boolean {
  if (from !== undefined) return day >= from;
  if (between === undefined) return true;
  const [start, end] = between;
  return end < start ? time >= start || time < end : time >= start && time < end;
}

// Remembers what was worked out for a text, for so many texts of such a length that memory does not grow.

export interface MemoryBounds {
  entries: number;
  longestKey: number;
}

export type Remember<Value> = (key: string, workOut: () => Value) => Value;

/** When it is full it forgets all at once: what is asked for often is soon back. */
export function createBoundedMemory<Value extends object | null>({
  entries,
  longestKey,
}: MemoryBounds): Remember<Value> {
  const remembered = new Map<string, Value>();
  return (key, workOut) => {
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const value = workOut();
    if (key.length > longestKey) return value;
    if (remembered.size >= entries) remembered.clear();
    remembered.set(key, value);
    return value;
  };
}
