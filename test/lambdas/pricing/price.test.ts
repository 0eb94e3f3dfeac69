import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type PriceRequest, priceUsage } from '#lambdas/pricing/price.ts';
import { priceTable } from '#lambdas/pricing/price-table.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';

const usage = { ...noUsage, freshInputTokens: 1000, outputTokens: 500, reasoningTokens: 200 };
const request: PriceRequest = {
  provider: 'openai',
  model: 'gpt-4o',
  responseModel: 'gpt-4o-2024-08-06',
  usage,
  statedCostUsd: null,
  at: new Date('2026-11-01T00:00:00Z'),
  configuredPrices: null,
};
const price = (changes: Partial<PriceRequest>) => priceUsage({ ...request, ...changes }, priceTable);

describe('pricing', () => {
  it('multiplies tokens by the price of the model: 1000 × 2.50 $ and 500 × 10 $ per million', () => {
    expect(price({})).toEqual({
      cost_usd: '0.0075',
      pricing: 'table',
      pricing_version: 'genai-prices 0.1.8',
    });
  });

  it('looks up what was served before what was asked for', () => {
    expect(price({ model: 'gpt-4o', responseModel: 'gpt-4o-2024-05-13' }).cost_usd).toBe('0.0125');
    expect(price({ responseModel: 'ft:unheard-of' }).cost_usd).toBe('0.0075');
  });

  it('is 0 and says so for a model that the table does not know', () => {
    expect(price({ model: 'unheard-of', responseModel: null })).toEqual({
      cost_usd: '0',
      pricing: 'unknown',
      pricing_version: 'genai-prices 0.1.8',
    });
  });

  it('is unknown where the table prices only a part of the tokens, which would pass for the whole', () => {
    const embedding = { model: 'text-embedding-3-small', responseModel: null };
    expect(price(embedding).pricing).toBe('unknown');
    const inputOnly = { ...noUsage, freshInputTokens: 1000 };
    expect(price({ ...embedding, usage: inputOnly })).toMatchObject({
      cost_usd: '0.00002',
      pricing: 'table',
    });
  });

  it("does not price a model at another provider's price", () => {
    for (const provider of ['nvidia', 'vllm', 'my-openai-proxy', 'constructor']) {
      expect(price({ provider }).pricing).toBe('unknown');
    }
  });

  it('takes the cost that the provider states over every price list, 0 too', () => {
    const stated = { pricing: 'provider', pricing_version: null };
    const configuredPrices = { input: 1, output: 1 };
    expect(price({ statedCostUsd: '0.0037756', configuredPrices })).toEqual({
      cost_usd: '0.0037756',
      ...stated,
    });
    expect(price({ statedCostUsd: '0', model: 'unheard-of' })).toEqual({ cost_usd: '0', ...stated });
  });

  it("takes the operator's own prices where there are any", () => {
    const configuredPrices = { input: 0.1, output: 0.3, cachedInput: 0.05 };
    const cached = { ...usage, freshInputTokens: 900, cachedInputTokens: 100 };
    expect(price({ provider: 'vllm', usage: cached, configuredPrices })).toEqual({
      cost_usd: '0.000245',
      pricing: 'table',
      pricing_version: 'configuration',
    });
  });

  it("prices every kind of token at the operator's prices, and writes for an hour as other writes", () => {
    const everything = {
      freshInputTokens: 1000,
      cachedInputTokens: 1000,
      cacheWriteInputTokens: 1000,
      cacheWrite1hInputTokens: 1000,
      outputTokens: 1000,
      reasoningTokens: 100,
      audioInputTokens: 500,
      cachedAudioInputTokens: 200,
      audioOutputTokens: 300,
      imageOutputTokens: 200,
    };
    const configuredPrices = { input: 1, output: 2, cachedInput: 0.1, cacheWriteInput: 1.25 };
    expect(price({ usage: everything, configuredPrices }).cost_usd).toBe('0.0056');
    expect(price({ usage: everything, configuredPrices: { input: 1, output: 2 } }).cost_usd).toBe('0.006');
  });

  it('names the version of the price table that is installed', () => {
    const path = new URL('../../../node_modules/@pydantic/genai-prices/package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(path, 'utf8'));
    expect(priceTable.version).toBe(`genai-prices ${version}`);
  });
});
