import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { noCustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import { priceUsage } from '#lambdas/pricing/price.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { anthropicAndGoogle } from './worked-prices/anthropic-and-google.ts';
import { bedrockAndMistral } from './worked-prices/bedrock-and-mistral.ts';
import { openModels } from './worked-prices/open-models.ts';
import { openAiAndAzure } from './worked-prices/openai-and-azure.ts';
import type { PricedRequest, PricedUsage, PriceList } from './worked-prices/price-list.ts';
import { reportedCosts } from './worked-prices/reported-costs.ts';

const priceLists = [
  ...openAiAndAzure,
  ...anthropicAndGoogle,
  ...bedrockAndMistral,
  ...reportedCosts,
  ...openModels,
];

/** Sums tokens × US dollars per million tokens, in picodollars. */
function calculate(calculation: string): bigint {
  return calculation.split(' + ').reduce((sum, product) => {
    const [tokens = '', price = ''] = product.split(' × ');
    return sum + BigInt(tokens) * inMillionths(price);
  }, 0n);
}

function inMillionths(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  expect(fraction.length).toBeLessThanOrEqual(6);
  return BigInt(whole + fraction.padEnd(6, '0'));
}

function inPicodollars(cost: string): bigint {
  const [whole = '', fraction = ''] = cost.split('.');
  return BigInt(whole + fraction.padEnd(12, '0'));
}

function tokenUsage(usage: PricedUsage): TokenUsage {
  return {
    ...noUsage,
    freshInputTokens: usage.fresh ?? 0,
    cachedInputTokens: usage.cached ?? 0,
    cacheWriteInputTokens: usage.cacheWrite ?? 0,
    cacheWrite1hInputTokens: usage.cacheWrite1h ?? 0,
    outputTokens: usage.output ?? 0,
    reasoningTokens: usage.reasoning ?? 0,
    audioInputTokens: usage.audioInput ?? 0,
    cachedAudioInputTokens: usage.cachedAudioInput ?? 0,
    audioOutputTokens: usage.audioOutput ?? 0,
    imageOutputTokens: usage.imageOutput ?? 0,
  };
}

function price({ provider }: PriceList, request: PricedRequest) {
  return priceUsage(
    {
      provider,
      model: request.model,
      responseModel: request.responseModel ?? null,
      context: { serviceTier: null, speed: null, inferenceGeo: null, region: null },
      parts: [{ model: null, usage: tokenUsage(request.usage) }],
      gaps: [],
      reportedCostUsd: request.reportedCostUsd ?? null,
      at: new Date(request.at ?? '2026-11-20T12:00:00Z'),
      settings: {},
      findCustomPrices: () => noCustomPrices,
    },
    priceTable,
  ).price;
}

describe.each(priceLists)('Published prices of $provider', (list) => {
  it.each(list.requests)('charges $cost USD for $model: $scenario', (request) => {
    expect(inPicodollars(request.cost)).toBe(calculate(request.calculation));
    const { cost_usd, pricing } = price(list, request);
    expect({ cost_usd, pricing }).toEqual({ cost_usd: request.cost, pricing: request.pricing ?? 'table' });
  });
});

describe('Manually calculated prices', () => {
  it('covers every provider of the catalog that the operator does not host', () => {
    const providers = priceLists.map(({ provider }) => provider);
    const selfHosted = ['ollama', 'vllm'];
    expect(providers.toSorted()).toEqual(
      Object.keys(providerCatalog)
        .filter((provider) => !selfHosted.includes(provider))
        .toSorted(),
    );
    expect(priceLists.flatMap(({ requests }) => requests).length).toBeGreaterThan(60);
  });
});
