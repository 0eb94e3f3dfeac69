import { describe, expect, it } from 'vitest';
import { type DerivedRow, readPriceRows } from '#bin/prices/price-rows.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import type { TokenPriceName } from '#lambdas/pricing/list-prices.ts';
import { priceUsage } from '#lambdas/pricing/price.ts';
import { type TokenKind, tokenKinds } from '#lambdas/pricing/rates.ts';
import { findTablePrices, priceTable } from '#lambdas/pricing/table/price-table.ts';
import { providerInTable } from '#lambdas/pricing/table/price-table-names.ts';
import { providerPrices } from '#lambdas/pricing/table/provider-prices.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { examplePriceRequest } from '#test/support/prices.ts';

interface KindCase {
  name: TokenPriceName;
  usage: Partial<TokenUsage>;
  /** The price that a documented one follows, and its multiple. */
  follows?: readonly [kind: TokenKind, factor: number];
}

const kinds: Readonly<Record<TokenKind, KindCase>> = {
  textInput: { name: 'input', usage: { freshInputTokens: 1000 } },
  audioInput: {
    name: 'input_audio',
    usage: { freshInputTokens: 1000, audioInputTokens: 1000 },
    follows: ['textInput', 1],
  },
  imageInput: {
    name: 'input_image',
    usage: { freshInputTokens: 1000, imageInputTokens: 1000 },
    follows: ['textInput', 1],
  },
  cachedTextInput: { name: 'cache_read', usage: { cachedInputTokens: 1000 }, follows: ['textInput', 1] },
  cachedAudioInput: {
    name: 'cache_audio_read',
    usage: { cachedInputTokens: 1000, audioInputTokens: 1000, cachedAudioInputTokens: 1000 },
    follows: ['cachedTextInput', 1],
  },
  cachedImageInput: {
    name: 'cache_image_read',
    usage: { cachedInputTokens: 1000, imageInputTokens: 1000, cachedImageInputTokens: 1000 },
    follows: ['cachedTextInput', 1],
  },
  cacheWriteInput: { name: 'cache_write', usage: { cacheWriteInputTokens: 1000 }, follows: ['textInput', 1] },
  cacheWrite1hInput: {
    name: 'cache_write_1h',
    usage: { cacheWrite1hInputTokens: 1000 },
    follows: ['textInput', 2],
  },
  textOutput: { name: 'output', usage: { outputTokens: 1000 } },
  reasoningOutput: {
    name: 'output_reasoning',
    usage: { outputTokens: 1000, reasoningTokens: 1000 },
    follows: ['textOutput', 1],
  },
  audioOutput: {
    name: 'output_audio',
    usage: { outputTokens: 1000, audioOutputTokens: 1000 },
    follows: ['textOutput', 1],
  },
  imageOutput: {
    name: 'output_image',
    usage: { outputTokens: 1000, imageOutputTokens: 1000 },
    follows: ['textOutput', 1],
  },
};

const at = new Date('2026-11-20T12:00:00Z');
const { context } = examplePriceRequest;

function pricingOf(provider: string, model: string, kind: TokenKind): string {
  const usage = { ...noUsage, ...kinds[kind].usage };
  const names = { provider, model, responseModel: null };
  return priceUsage({ ...examplePriceRequest, ...names, at, parts: [{ model: null, usage }] }, priceTable)
    .price.pricing;
}

const derivedRows = new Map(
  [...readPriceRows()].map(([provider, rows]) => [provider, rows.filter((row) => row.unit === 'derived')]),
);

function isListed(provider: string, model: string, name: TokenPriceName): boolean {
  const rows = derivedRows.get(provider) ?? [];
  return name === 'output_reasoning' || rows.some((row) => row.prices.includes(name) && applies(row, model));
}

function applies({ models }: DerivedRow, model: string): boolean {
  return models.some((known) => {
    if (typeof known === 'string') return model.startsWith(known);
    const [[kind, text] = []] = Object.entries(known);
    return kind === 'contains' ? model.includes(text ?? '') : model.startsWith(text ?? '?');
  });
}

describe('A kind of token without a price of its own', () => {
  it.each(Object.keys(providerCatalog))(
    'is never certain for a model of %s, unless its price is listed as derived, and then follows from that of text',
    (provider) => {
      const { models = [] } = providerPrices(providerInTable(provider)) ?? {};
      for (const [model] of models) {
        const found = findTablePrices({ provider, model, context, at });
        const rates = priceTable.findRates({ provider, model, context, at, contextTokens: 1000 });
        if (found === null || rates === null) continue;
        const { prices } = found;
        // A model without any price is free.
        if (Object.keys(prices).length === 0) continue;
        for (const kind of tokenKinds) {
          const { name, follows } = kinds[kind];
          if (prices[name] !== undefined || pricingOf(provider, model, kind) !== 'table') continue;
          const [text, multiple] = follows ?? expect.fail();
          // Without a price of cache writes, those for an hour are input too.
          const isInput = kind === 'cacheWrite1hInput' && prices.cache_write === undefined;
          const usd = (rates.usdPerMillion[text] ?? 0) * (isInput ? 1 : multiple);
          expect([model, kind, isListed(provider, model, name), rates.usdPerMillion[kind]]).toEqual([
            model,
            kind,
            true,
            usd,
          ]);
        }
      }
    },
  );

  it.each<[string, string, TokenKind, string]>([
    // The provider documents one price for all kinds of input.
    ['google', 'gemini-2.5-flash', 'imageInput', 'table'],
    ['google', 'models/gemini-2.5-flash', 'cachedImageInput', 'table'],
    ['google', 'gemini-2.5-pro', 'audioInput', 'table'],
    ['google', 'gemini-2.5-pro', 'cachedAudioInput', 'table'],
    ['google', 'gemini-3.8-flash', 'audioInput', 'table'],
    ['google', 'gemini-2.5-flash-preview-tts', 'audioOutput', 'table'],
    ['google', 'gemini-2.5-flash', 'reasoningOutput', 'table'],
    ['openai', 'gpt-5.5', 'imageInput', 'table'],
    ['openai', 'gpt-5.5', 'cacheWriteInput', 'table'],
    ['google', 'gemini-2.5-flash', 'cacheWriteInput', 'table'],
    ['azure', 'gpt-4o', 'imageInput', 'table'],
    ['bedrock', 'us.amazon.nova-pro-v1:0', 'audioInput', 'table'],
    ['openrouter', 'google/gemini-2.5-pro', 'audioInput', 'table'],
    ['cerebras', 'gpt-oss-120b', 'cachedTextInput', 'table'],
    ['bedrock', 'us.anthropic.claude-opus-5', 'cacheWrite1hInput', 'table'],
    // Nothing is documented.
    ['google', 'gemini-2.5-pro', 'audioOutput', 'assumed'],
    ['google', 'gemini-2.5-pro', 'imageOutput', 'assumed'],
    ['google', 'gemini-2.5-flash-image', 'audioInput', 'assumed'],
    // Cached text has no price that cached images could follow.
    ['google', 'gemini-2.5-flash-image', 'cachedImageInput', 'assumed'],
    ['openai', 'gpt-4o', 'audioInput', 'assumed'],
    ['openai', 'gpt-audio', 'cachedAudioInput', 'assumed'],
    ['openai', 'gpt-audio', 'cachedTextInput', 'assumed'],
    ['openai', 'gpt-5.6-sol', 'cacheWrite1hInput', 'assumed'],
    ['bedrock', 'amazon.nova-pro-v1:0', 'cacheWriteInput', 'assumed'],
    ['bedrock', 'us.meta.llama3-3-70b-instruct-v1:0', 'cachedTextInput', 'assumed'],
    // Free of charge.
    ['openrouter', 'deepseek/deepseek-r1:free', 'audioOutput', 'table'],
  ])('of %s/%s: %s is %s', (provider, model, kind, pricing) => {
    expect(pricingOf(provider, model, kind)).toBe(pricing);
  });
});
