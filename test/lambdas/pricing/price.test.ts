import { describe, expect, it } from 'vitest';
import { type PriceRequest, priceUsage } from '#lambdas/pricing/price.ts';
import { type Rates, tokenKinds } from '#lambdas/pricing/rates.ts';
import type { PriceTable } from '#lambdas/pricing/table/price-table.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { type BilledPart, noUsage, type TokenUsage, unknownModel } from '#lambdas/pricing/usage.ts';
import { examplePriceRequest } from '#test/support/prices.ts';

const usage = { ...noUsage, freshInputTokens: 1000, outputTokens: 500, reasoningTokens: 200 };
const request: PriceRequest = { ...examplePriceRequest, parts: [{ model: null, usage }] };
const price = ({ usage: changed = usage, ...changes }: Partial<PriceRequest> & { usage?: TokenUsage }) =>
  priceUsage({ ...request, parts: [{ model: null, usage: changed }], ...changes }, priceTable).price;

const unknown = {
  cost_usd: '0',
  pricing: 'unknown',
  pricing_version: priceTable.version,
  pricing_gaps: null,
};

describe('priceUsage', () => {
  it('multiplies tokens by the price of the model: 1000 × 2.50 USD and 500 × 10 USD per million', () => {
    expect(price({})).toEqual({
      cost_usd: '0.0075',
      pricing: 'table',
      pricing_version: priceTable.version,
      pricing_gaps: null,
    });
  });

  it('looks up the model of the response before the requested model', () => {
    expect(price({ model: 'gpt-4o', responseModel: 'gpt-4o-2024-05-13' }).cost_usd).toBe('0.0125');
    expect(price({ responseModel: 'ft:unheard-of' }).cost_usd).toBe('0.0075');
  });

  it('returns 0 and unknown for a model that is not in the table', () => {
    expect(price({ model: 'unheard-of', responseModel: null })).toEqual(unknown);
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

  it('prices the other kinds when one is missing', () => {
    expect(price({ usage: { ...usage, missing: ['cached_input_tokens'] } })).toEqual(price({ usage }));
  });

  it("does not use another provider's price for the same model", () => {
    for (const provider of ['nvidia', 'vllm', 'my-openai-proxy', 'constructor']) {
      expect(price({ provider }).pricing).toBe('unknown');
    }
  });

  it('prefers the cost that the provider reports over all prices, even if it is 0, and reports no gaps', () => {
    const reported = { pricing: 'provider', pricing_version: null, pricing_gaps: null };
    const settings = { prices: { input: 1, output: 1 } };
    expect(price({ reportedCostUsd: '0.0037756', settings, gaps: ['code_execution'] })).toEqual({
      cost_usd: '0.0037756',
      ...reported,
    });
    expect(price({ reportedCostUsd: '0', model: 'unheard-of' })).toEqual({ cost_usd: '0', ...reported });
  });

  it('reports the charges that it cannot compute', () => {
    expect(price({ gaps: ['code_execution'] })).toMatchObject({
      cost_usd: '0.0075',
      pricing: 'table',
      pricing_gaps: ['code_execution'],
    });
  });

  it('is assumed when the name goes beyond that of the row, as claude-sonnet-5-6 goes beyond claude-sonnet-5', () => {
    const served = (responseModel: string) => price({ provider: 'anthropic', responseModel, usage }).pricing;
    expect(served('claude-sonnet-5-6')).toBe('assumed');
    expect(served('claude-sonnet-4-5-20250929')).toBe('table');
  });
});

describe('priceUsage with prices in the settings', () => {
  it('uses them for every kind of token, and the same price for all cache writes', () => {
    const textKinds = {
      ...noUsage,
      freshInputTokens: 1000,
      cachedInputTokens: 1000,
      cacheWriteInputTokens: 1000,
      cacheWrite1hInputTokens: 1000,
      outputTokens: 1000,
      reasoningTokens: 100,
    };
    const prices = { input: 1, output: 2, cachedInput: 0.1, cacheWriteInput: 1.25 };
    const expected = {
      cost_usd: '0.0056',
      pricing: 'configuration',
      pricing_version: 'configuration',
      pricing_gaps: null,
    };

    expect(price({ provider: 'vllm', usage: textKinds, settings: { prices } })).toEqual(expected);
    expect(price({ usage: textKinds, settings: { prices: { input: 1, output: 2 } } }).cost_usd).toBe('0.006');
    for (const [kind, count] of Object.entries({
      audioInputTokens: 500,
      imageInputTokens: 300,
      audioOutputTokens: 300,
      imageOutputTokens: 200,
    })) {
      const usage = { ...textKinds, [kind]: count };
      expect(price({ provider: 'vllm', usage, settings: { prices } })).toEqual({
        ...expected,
        pricing: 'assumed',
      });
    }
  });

  it('uses the price of searches in the table, and is unknown without one', () => {
    const settings = { prices: { input: 1, output: 2 } };
    const searched = { ...usage, fileSearches: 2 };
    expect(price({ settings, usage: searched })).toMatchObject({
      cost_usd: '0.007',
      pricing: 'table',
      pricing_version: priceTable.version,
    });
    expect(price({ provider: 'vllm', settings, usage: searched }).pricing).toBe('unknown');
  });

  it('multiplies the token prices of the table by the factor, but not the price of searches', () => {
    const settings = { priceFactor: 1.1 };
    expect(price({ settings })).toMatchObject({ cost_usd: '0.00825', pricing: 'table' });
    expect(price({ settings, usage: { ...usage, fileSearches: 1 } }).cost_usd).toBe('0.01075');
  });
});

/** A table with one price per million for all tokens, which doubles above 1,000 tokens. */
const testTable: PriceTable = {
  version: 'test',
  findRegion: () => null,
  findRates({ model, contextTokens }) {
    const usd = { cheap: 1, dear: 10, guess: 3 }[model];
    if (usd === undefined) return null;
    const rate = contextTokens > 1000 ? 2 * usd : usd;
    const usdPerMillion = Object.fromEntries(
      tokenKinds.map((kind) => [kind, rate]),
    ) as Rates['usdPerMillion'];
    const isAssumed = model === 'guess';
    return { usdPerMillion, usdPerThousandRequests: 0, units: {}, isAssumed, assumedKinds: [] };
  },
};

const part = (model: string | null, freshInputTokens: number, outputTokens = 0): BilledPart => ({
  model,
  usage: { ...noUsage, freshInputTokens, outputTokens },
});
const priceParts = (...[first, ...others]: [BilledPart, ...BilledPart[]]) =>
  priceUsage({ ...request, model: 'cheap', responseModel: null, parts: [first, ...others] }, testTable);

describe('priceUsage for several parts', () => {
  it('prices every part at its own model and adds them up', () => {
    const { price: total, parts } = priceParts(part(null, 100, 10), part('dear', 20));
    expect(total).toMatchObject({ cost_usd: '0.00031', pricing: 'table' });
    expect(parts).toEqual([part(null, 100, 10), part('dear', 20)]);
  });

  it('merges a part that names the model of the response with those that name none', () => {
    expect(priceParts(part(null, 100), part('cheap', 20, 5)).parts).toEqual([
      { model: null, usage: { ...part(null, 120, 5).usage, contextTokens: 100 } },
    ]);
  });

  it('is as certain as the least certain part', () => {
    expect(priceParts(part(null, 1), part('guess', 1)).price.pricing).toBe('assumed');
    expect(priceParts(part(null, 1), part('guess', 1), part('other', 1)).price).toMatchObject({
      cost_usd: '0',
      pricing: 'unknown',
    });
  });

  it('is assumed when a part ran another model in a fast response', () => {
    const fast = { ...request.context, speed: 'fast' };
    const rounds = { ...request, model: 'cheap', responseModel: null, context: fast };
    const pricing = (...parts: [BilledPart, ...BilledPart[]]) =>
      priceUsage({ ...rounds, parts }, testTable).price.pricing;

    expect([pricing(part(null, 1)), pricing(part(null, 1), part('dear', 1))]).toEqual(['table', 'assumed']);
  });

  it('selects the long-context price of each round by itself, and merges the rounds at the same price', () => {
    const rounds = [
      part(null, 900, 1),
      part(null, 1100, 2),
      part(null, 1000, 4),
      part('dear', 5),
      part(null, 1200, 8),
    ];
    const { price: total, parts } = priceUsage(
      { ...request, model: 'cheap', responseModel: null, parts: rounds as [BilledPart, ...BilledPart[]] },
      testTable,
    );

    expect(parts).toEqual([
      { model: null, usage: { ...part(null, 1900, 5).usage, contextTokens: 1000 } },
      { model: null, usage: { ...part(null, 2300, 10).usage, contextTokens: 1200 } },
      part('dear', 5),
    ]);
    expect(total.cost_usd).toBe('0.006575');
  });

  it('keeps the contexts of rounds without a price apart, since a later price may depend on them', () => {
    const { price: first, parts } = priceParts(part('new', 600), part('new', 1100), part('new', 600));
    expect([first.pricing, parts]).toEqual([
      'unknown',
      [{ model: 'new', usage: { ...part(null, 1200).usage, contextTokens: 600 } }, part('new', 1100)],
    ]);
    const later: PriceTable = {
      ...testTable,
      findRates: (lookup) => testTable.findRates({ ...lookup, model: 'cheap' }),
    };
    expect(priceUsage({ ...request, parts }, later).price.cost_usd).toBe('0.0034');
  });

  it('prices merged rounds like the rounds', () => {
    const { parts } = priceParts(part(null, 600), part(null, 700), part(null, 1001));
    const again = priceUsage({ ...request, model: 'cheap', responseModel: null, parts }, testTable);

    expect(again.parts).toEqual(parts);
    expect(again.price.cost_usd).toBe('0.003302');
  });

  it('makes a response with more than 16 models one part of unknown cost', () => {
    const rounds = Array.from({ length: 17 }, (_, index) => part(`model-${index}`, 1));
    const [first, ...others] = rounds;
    if (first === undefined) throw new Error('No rounds');

    expect(priceParts(first, ...others).parts).toEqual([
      { model: unknownModel, usage: { ...noUsage, freshInputTokens: 17 } },
    ]);
    expect(priceParts(first, ...others).price.pricing).toBe('unknown');
  });
});
