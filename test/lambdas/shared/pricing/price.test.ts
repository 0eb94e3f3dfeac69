import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type PriceRequest, priceUsage } from '../../../../lambdas/shared/pricing/price.ts';
import { priceTable } from '../../../../lambdas/shared/pricing/price-table.ts';

const usage = {
  freshInputTokens: 1000,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 500,
  reasoningTokens: 200,
};
const request: PriceRequest = {
  provider: 'openai',
  model: 'gpt-4o',
  responseModel: 'gpt-4o-2024-08-06',
  usage,
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

  it('prices cached input once, at its own price', () => {
    const cached = { ...usage, freshInputTokens: 400, cachedInputTokens: 600 };
    expect(price({ usage: cached }).cost_usd).toBe('0.00675');
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

  it("does not price a model at another provider's price", () => {
    expect(price({ provider: 'nvidia' }).pricing).toBe('unknown');
    expect(price({ provider: 'vllm' }).pricing).toBe('unknown');
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

  it('names the version of the price table that is installed', () => {
    const path = new URL('../../../../node_modules/@pydantic/genai-prices/package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(path, 'utf8'));
    expect(priceTable.version).toBe(`genai-prices ${version}`);
  });
});
