import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  costAt,
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
    expect(price({ reportedCostUsd: '0.0037756', configuredPrices })).toEqual({
      cost_usd: '0.0037756',
      ...stated,
    });
    expect(price({ reportedCostUsd: '0', model: 'unheard-of' })).toEqual({ cost_usd: '0', ...stated });
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

const kindsOfInput = tokenKinds.filter((kind) => kind.endsWith('Input'));
const kindsOfOutput = tokenKinds.filter((kind) => kind.endsWith('Output'));

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
    outputTokens: sum(kindsOfOutput.map((kind) => tokens[kind])),
    reasoningTokens: tokens.reasoningOutput,
    audioInputTokens: tokens.audioInput + tokens.cachedAudioInput,
    cachedAudioInputTokens: tokens.cachedAudioInput,
    audioOutputTokens: tokens.audioOutput,
    imageOutputTokens: tokens.imageOutput,
  };
}

describe('tokens of a usage', () => {
  it('are told apart by kind', () => {
    fc.assert(
      fc.property(forEachKind(count), (tokens) => {
        expect(tokensByKind(usageOf(tokens))).toEqual(tokens);
      }),
    );
  });

  it('are neither lost nor doubled nor negative, also where the counts of a provider contradict each other', () => {
    const names = Object.keys(noUsage) as (keyof TokenUsage)[];
    const anyUsage = fc.record(record(names, () => count));
    fc.assert(
      fc.property(anyUsage, (usage) => {
        const tokens = tokensByKind(usage);
        expect(Math.min(...Object.values(tokens))).toBeGreaterThanOrEqual(0);
        expect(sum(kindsOfInput.map((kind) => tokens[kind]))).toBe(inputTokens(usage));
        expect(sum(kindsOfOutput.map((kind) => tokens[kind]))).toBe(usage.outputTokens);
      }),
    );
  });

  it('count audio as cached where it cannot have been fresh', () => {
    const usage = { ...noUsage, freshInputTokens: 10, cachedInputTokens: 90, audioInputTokens: 60 };
    expect(tokensByKind(usage)).toMatchObject({
      textInput: 0,
      audioInput: 10,
      cachedTextInput: 40,
      cachedAudioInput: 50,
    });
  });
});

describe('the cost at given rates', () => {
  it('is the exact sum of each kind times its price', () => {
    fc.assert(
      fc.property(forEachKind(count), forEachKind(millionths), millionths, (tokens, prices, perRequest) => {
        let picodollars = BigInt(perRequest);
        for (const kind of tokenKinds) picodollars += BigInt(tokens[kind]) * BigInt(prices[kind]);
        const usdPerMillion = record(tokenKinds, (kind) => prices[kind] / 1_000_000);
        const rates = { usdPerMillion, usdPerMillionRequests: perRequest / 1_000_000 };
        expect(costAt(rates, usageOf(tokens))).toBe(asUsd(picodollars));
      }),
    );
  });

  it('is unknown as soon as one kind that was used has no price', () => {
    const usdPerMillion = Object.fromEntries(tokenKinds.map((kind) => [kind, 1])) as Record<
      TokenKind,
      number
    >;
    const rates = { usdPerMillion: { ...usdPerMillion, audioOutput: null }, usdPerMillionRequests: 0 };
    expect(costAt(rates, { ...noUsage, outputTokens: 3 })).toBe('0.000003');
    expect(costAt(rates, { ...noUsage, outputTokens: 3, audioOutputTokens: 1 })).toBeNull();
  });

  it('has the searches of the web in it', () => {
    const usdPerMillion = record(tokenKinds, () => 1);
    const rates = { usdPerMillion, usdPerMillionRequests: 0, usdPerMillionWebSearches: 10_000 };
    const usage = { ...noUsage, outputTokens: 3, webSearches: 2 };
    expect(costAt(rates, usage)).toBe('0.020003');
    expect(costAt({ ...rates, usdPerMillionWebSearches: undefined }, usage)).toBe('0.000003');
    expect(costAt({ ...rates, usdPerMillionWebSearches: null }, usage)).toBeNull();
  });
});

function asUsd(picodollars: bigint): string {
  const digits = picodollars.toString().padStart(13, '0');
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
}
