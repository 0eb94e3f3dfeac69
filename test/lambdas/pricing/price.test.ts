import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  calculateCost,
  type PriceRequest,
  priceUsage,
  type TokenKind,
  tokenKinds,
  tokensByKind,
} from '#lambdas/pricing/price.ts';
import { priceTable } from '#lambdas/pricing/price-table.ts';
import { inputTokens, noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';

const usage = { ...noUsage, freshInputTokens: 1000, outputTokens: 500, reasoningTokens: 200 };
const request: PriceRequest = {
  provider: 'openai',
  model: 'gpt-4o',
  responseModel: 'gpt-4o-2024-08-06',
  usage,
  reportedCostUsd: null,
  at: new Date('2026-11-01T00:00:00Z'),
  configuredPrices: null,
};
const price = (changes: Partial<PriceRequest>) => priceUsage({ ...request, ...changes }, priceTable);

describe('priceUsage', () => {
  it('multiplies tokens by the price of the model: 1000 × 2.50 USD and 500 × 10 USD per million', () => {
    expect(price({})).toEqual({
      cost_usd: '0.0075',
      pricing: 'table',
      pricing_version: 'genai-prices 0.1.8',
    });
  });

  it('looks up the model of the response before the requested model', () => {
    expect(price({ model: 'gpt-4o', responseModel: 'gpt-4o-2024-05-13' }).cost_usd).toBe('0.0125');
    expect(price({ responseModel: 'ft:unheard-of' }).cost_usd).toBe('0.0075');
  });

  it('returns 0 and unknown for a model that is not in the table', () => {
    expect(price({ model: 'unheard-of', responseModel: null })).toEqual({
      cost_usd: '0',
      pricing: 'unknown',
      pricing_version: 'genai-prices 0.1.8',
    });
  });

  it('returns unknown when the table has prices for a part of the tokens only', () => {
    const embedding = { model: 'text-embedding-3-small', responseModel: null };
    expect(price(embedding).pricing).toBe('unknown');
    const inputOnly = { ...noUsage, freshInputTokens: 1000 };
    expect(price({ ...embedding, usage: inputOnly })).toMatchObject({
      cost_usd: '0.00002',
      pricing: 'table',
    });
  });

  it("does not use another provider's price for the same model", () => {
    for (const provider of ['nvidia', 'vllm', 'my-openai-proxy', 'constructor']) {
      expect(price({ provider }).pricing).toBe('unknown');
    }
  });

  it('prefers the cost that the provider reports over all prices, even if it is 0', () => {
    const reported = { pricing: 'provider', pricing_version: null };
    const configuredPrices = { input: 1, output: 1 };
    expect(price({ reportedCostUsd: '0.0037756', configuredPrices })).toEqual({
      cost_usd: '0.0037756',
      ...reported,
    });
    expect(price({ reportedCostUsd: '0', model: 'unheard-of' })).toEqual({ cost_usd: '0', ...reported });
  });

  it("uses the operator's prices if they are configured", () => {
    const configuredPrices = { input: 0.1, output: 0.3, cachedInput: 0.05 };
    const cached = { ...usage, freshInputTokens: 900, cachedInputTokens: 100 };
    expect(price({ provider: 'vllm', usage: cached, configuredPrices })).toEqual({
      cost_usd: '0.000245',
      pricing: 'table',
      pricing_version: 'configuration',
    });
  });

  it("uses the operator's prices for every kind of token, and the same price for all cache writes", () => {
    const everyKind = {
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
    expect(price({ usage: everyKind, configuredPrices }).cost_usd).toBe('0.0056');
    expect(price({ usage: everyKind, configuredPrices: { input: 1, output: 2 } }).cost_usd).toBe('0.006');
  });

  it('reports the installed version of the price table', () => {
    const path = new URL('../../../node_modules/@pydantic/genai-prices/package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(path, 'utf8'));
    expect(priceTable.version).toBe(`genai-prices ${version}`);
  });
});

const inputKinds = tokenKinds.filter((kind) => kind.endsWith('Input'));
const outputKinds = tokenKinds.filter((kind) => kind.endsWith('Output'));

const count = fc.integer({ min: 0, max: 10 ** 9 });
/** A price per million tokens, in millionths of a dollar. */
const millionths = fc.integer({ min: 0, max: 600_000_000 });

function record<Name extends string, T>(names: readonly Name[], value: (name: Name) => T) {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, T>;
}
const forEachKind = <T>(value: fc.Arbitrary<T>) => fc.record(record(tokenKinds, () => value));

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function usageOf(tokens: Record<TokenKind, number>): TokenUsage {
  return {
    freshInputTokens: tokens.textInput + tokens.audioInput,
    cachedInputTokens: tokens.cachedTextInput + tokens.cachedAudioInput,
    cacheWriteInputTokens: tokens.cacheWriteInput,
    cacheWrite1hInputTokens: tokens.cacheWrite1hInput,
    outputTokens: sum(outputKinds.map((kind) => tokens[kind])),
    reasoningTokens: tokens.reasoningOutput,
    audioInputTokens: tokens.audioInput + tokens.cachedAudioInput,
    cachedAudioInputTokens: tokens.cachedAudioInput,
    audioOutputTokens: tokens.audioOutput,
    imageOutputTokens: tokens.imageOutput,
  };
}

describe('tokensByKind', () => {
  it('splits usage by kind of token', () => {
    fc.assert(
      fc.property(forEachKind(count), (tokens) => {
        expect(tokensByKind(usageOf(tokens))).toEqual(tokens);
      }),
    );
  });

  it("counts every token once and none negatively, even if the provider's counts contradict each other", () => {
    const names = Object.keys(noUsage) as (keyof TokenUsage)[];
    const anyUsage = fc.record(record(names, () => count));
    fc.assert(
      fc.property(anyUsage, (usage) => {
        const tokens = tokensByKind(usage);
        expect(Math.min(...Object.values(tokens))).toBeGreaterThanOrEqual(0);
        expect(sum(inputKinds.map((kind) => tokens[kind]))).toBe(inputTokens(usage));
        expect(sum(outputKinds.map((kind) => tokens[kind]))).toBe(usage.outputTokens);
      }),
    );
  });

  it('counts audio that exceeds the fresh input as cached', () => {
    const usage = { ...noUsage, freshInputTokens: 10, cachedInputTokens: 90, audioInputTokens: 60 };
    expect(tokensByKind(usage)).toMatchObject({
      textInput: 0,
      audioInput: 10,
      cachedTextInput: 40,
      cachedAudioInput: 50,
    });
  });
});

describe('calculateCost', () => {
  it('returns the exact sum of tokens times price', () => {
    fc.assert(
      fc.property(forEachKind(count), forEachKind(millionths), millionths, (tokens, prices, perRequest) => {
        let picodollars = BigInt(perRequest);
        for (const kind of tokenKinds) picodollars += BigInt(tokens[kind]) * BigInt(prices[kind]);
        const usdPerMillion = record(tokenKinds, (kind) => prices[kind] / 1_000_000);
        const rates = { usdPerMillion, usdPerMillionRequests: perRequest / 1_000_000 };
        expect(calculateCost(rates, usageOf(tokens))).toBe(asUsd(picodollars));
      }),
    );
  });

  it('returns null when a kind of token that was used has no price', () => {
    const usdPerMillion = Object.fromEntries(tokenKinds.map((kind) => [kind, 1])) as Record<
      TokenKind,
      number
    >;
    const rates = { usdPerMillion: { ...usdPerMillion, audioOutput: null }, usdPerMillionRequests: 0 };
    expect(calculateCost(rates, { ...noUsage, outputTokens: 3 })).toBe('0.000003');
    expect(calculateCost(rates, { ...noUsage, outputTokens: 3, audioOutputTokens: 1 })).toBeNull();
  });

  it('includes web searches', () => {
    const usdPerMillion = record(tokenKinds, () => 1);
    const rates = { usdPerMillion, usdPerMillionRequests: 0, usdPerMillionWebSearches: 10_000 };
    const usage = { ...noUsage, outputTokens: 3, webSearches: 2 };
    expect(calculateCost(rates, usage)).toBe('0.020003');
    expect(calculateCost({ ...rates, usdPerMillionWebSearches: undefined }, usage)).toBe('0.000003');
    expect(calculateCost({ ...rates, usdPerMillionWebSearches: null }, usage)).toBeNull();
  });
});

function asUsd(picodollars: bigint): string {
  const digits = picodollars.toString().padStart(13, '0');
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
}
