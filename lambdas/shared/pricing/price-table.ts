/**
 * The built-in price table: `@pydantic/genai-prices`, with tiers, cache prices and dated price changes.
 *
 * It is half a megabyte, so the chat function imports this file only while it awaits a provider. Only its prices
 * are used: it adds up binary fractions and refuses usage that contradicts itself.
 */
import { calcPrice, findProvider, type ModelPrice } from '@pydantic/genai-prices';
import type { PriceTable, RateLookup } from './price.ts';
import { modelNamesInTable, providerInTable } from './table-names.ts';
import type { TokenRates } from './token-rates.ts';

export const priceTable: PriceTable = {
  version: 'genai-prices 0.1.8',
  ratesOf({ provider, model, at, inputTokens }) {
    const providerId = providerInTable(provider);
    // The table also finds providers by a part of their name, and would price `my-openai-proxy` as OpenAI.
    if (findProvider({ providerId })?.id !== providerId) return null;
    for (const name of modelNamesInTable(provider, model)) {
      const found = calcPrice({}, name, { providerId, timestamp: at });
      if (found !== null) return tokenRates(found.model_price, inputTokens);
    }
    return null;
  },
};

function tokenRates(prices: ModelPrice, inputTokens: RateLookup['inputTokens']): TokenRates {
  // A model that the table knows and has no prices of is free, such as `…:free` at OpenRouter.
  const otherwise = Object.keys(prices).length === 0 ? 0 : null;
  /** Of the first key that has a price: a token without a price of its own costs what its more general kind does. */
  const rate = (...keys: string[]) => {
    const price = keys.map((key) => prices[key]).find((candidate) => candidate !== undefined);
    return price === undefined ? otherwise : priceInTier(price, inputTokens);
  };
  return {
    usdPerMillion: {
      textInput: rate('input_mtok'),
      audioInput: rate('input_audio_mtok', 'input_mtok'),
      cachedTextInput: rate('cache_read_mtok', 'input_mtok'),
      cachedAudioInput: rate('cache_audio_read_mtok', 'input_audio_mtok', 'cache_read_mtok', 'input_mtok'),
      cacheWriteInput: rate('cache_write_5m_mtok', 'cache_write_mtok', 'input_mtok'),
      cacheWrite1hInput: rate('cache_write_1h_mtok') ?? withoutHourPrice(prices, rate('input_mtok')),
      textOutput: rate('output_mtok'),
      reasoningOutput: rate('output_reasoning_mtok', 'output_mtok'),
      audioOutput: rate('output_audio_mtok', 'output_mtok'),
      imageOutput: rate('output_image_mtok', 'output_mtok'),
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
function withoutHourPrice(prices: ModelPrice, input: number | null): number | null {
  return prices.cache_write_mtok === undefined || input === null ? input : 2 * input;
}

/** The whole request is priced by the tier that all of its input falls into. */
function priceInTier(price: NonNullable<ModelPrice[string]>, inputTokens: number): number {
  if (typeof price === 'number') return price;
  const tiers = price.tiers.toSorted((left, right) => left.start - right.start);
  return tiers.findLast(({ start }) => inputTokens > start)?.price ?? price.base;
}
