import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { hasOwnPrice, type ListPrices } from '#lambdas/pricing/list-prices.ts';
import { type TokenKind, tokenKinds } from '#lambdas/pricing/rates.ts';
import { maxRatioOf, textKindOf } from '#lambdas/pricing/table/max-ratios.ts';
import { findTablePrices, priceTable } from '#lambdas/pricing/table/price-table.ts';
import { providerInTable } from '#lambdas/pricing/table/price-table-names.ts';
import { providerPrices } from '#lambdas/pricing/table/provider-prices.ts';

describe('maxRatioOf', () => {
  it.each<[string, TokenKind, number | null]>([
    // gpt-4o-mini-audio-preview, gpt-image-1 and gpt-image-1.5.
    ['openai', 'audioInput', 10 / 0.15],
    ['openai', 'audioOutput', 20 / 0.6],
    ['openai', 'imageInput', 10 / 5],
    ['openai', 'imageOutput', 32 / 10],
    ['openai', 'cacheWriteInput', 1.25],
    ['openai', 'cacheWrite1hInput', 2.5],
    ['bedrock', 'cacheWrite1hInput', 2],
    ['openrouter', 'audioInput', 40 / 2.5],
    ['mistral', 'audioInput', null],
    // The dearest embedding costs 32.5 times as much, since its text is cheap.
    ['google', 'audioInput', 0.7 / 0.1],
    ['google', 'imageOutput', 60 / 3],
    // Models that the provider has from another.
    ['azure', 'audioInput', 10 / 0.15],
    ['azure', 'cacheWrite1hInput', 2.5],
    // No prices are known.
    ['vllm', 'audioInput', null],
    ['my-openai-proxy', 'audioInput', null],
    ['constructor', 'audioInput', null],
  ])(
    'returns the highest price relative to text among the models of %s that write text: %s %s',
    (provider, kind, ratio) => {
      expect([maxRatioOf(provider, kind), maxRatioOf(provider, kind)]).toEqual([ratio, ratio]);
    },
  );

  it.each(Object.keys(providerCatalog))(
    'bounds the prices of all models of %s, in every tier',
    (provider) => {
      const { models = [], tiers = [] } = providerPrices(providerInTable(provider)) ?? {};
      const tierNames = [null, ...tiers.flatMap(({ names }) => names)];
      for (const [model] of models) {
        for (const serviceTier of tierNames) {
          const context = { serviceTier, speed: null, inferenceGeo: null, region: null };
          const lookup = { provider, model, context, at: new Date('2026-11-20T12:00:00Z') };
          const prices: ListPrices = findTablePrices(lookup)?.prices ?? {};
          if (prices.output === undefined) continue;
          for (const contextTokens of [0, 250_000, 2_000_000]) {
            const rates = priceTable.findRates({ ...lookup, contextTokens })?.usdPerMillion ?? expect.fail();
            for (const kind of tokenKinds) {
              const text = rates[textKindOf(kind)] ?? 0;
              if (kind === textKindOf(kind) || !hasOwnPrice(prices, kind) || text === 0) continue;
              const ratio = (rates[kind] ?? 0) / text;
              expect([model, kind, ratio <= (maxRatioOf(provider, kind) ?? 0) + 1e-9]).toEqual([
                model,
                kind,
                true,
              ]);
            }
          }
        }
      }
    },
  );
});
