import { describe, expect, it } from 'vitest';
import { type CustomPrice, type CustomPrices, noCustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import type { TokenPriceList } from '#lambdas/pricing/list-prices.ts';
import { type PriceRequest, priceUsage } from '#lambdas/pricing/price.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { examplePriceRequest } from '#test/support/prices.ts';

const start = '2026-11-01T00:00:00.000Z';

const customPrice = (
  input: number,
  more: Partial<CustomPrice & { prices: Partial<TokenPriceList> }> = {},
) => {
  const { prices, ...fields } = more;
  return {
    from: start,
    tier: null,
    price: { prices: { input, output: input, ...prices }, above: [] },
    ...fields,
  } satisfies CustomPrice;
};

const usage = { ...noUsage, freshInputTokens: 1_000_000 };
const request: PriceRequest = { ...examplePriceRequest, parts: [{ model: null, usage }] };

/** Prices a million input tokens, of which the price table costs $2.50. */
function price(customPrices: Record<string, Partial<CustomPrices>>, changes: Partial<PriceRequest> = {}) {
  const findCustomPrices = (model: string) => ({ ...noCustomPrices, ...customPrices[model] });
  const { price } = priceUsage({ ...request, ...changes, findCustomPrices }, priceTable);
  return [price.cost_usd, price.pricing, price.pricing_version];
}

const fromTable = ['2.5', 'table', priceTable.version];
const settings = { prices: { input: 7, output: 7 } };

describe('Custom prices', () => {
  it('take precedence over the settings, those of the organization over those for all', () => {
    const all = [customPrice(3)];
    const organization = [customPrice(4)];

    expect(price({ 'gpt-4o': { organization, all } }, { settings })).toEqual([
      '4',
      'configuration',
      `organization@${start}`,
    ]);
    expect(price({ 'gpt-4o': { all } }, { settings })).toEqual(['3', 'configuration', `all@${start}`]);
    expect(price({}, { settings })).toEqual(['7', 'configuration', 'configuration']);
    expect(price({})).toEqual(fromTable);
  });

  it('do not replace the cost that a response states', () => {
    expect(price({ 'gpt-4o': { all: [customPrice(3)] } }, { reportedCostUsd: '9' })).toEqual([
      '9',
      'provider',
      null,
    ]);
  });

  it('are found by the exact name in the response, then by the requested name', () => {
    const requested = { all: [customPrice(3)] };
    const snapshot = { all: [customPrice(4)] };

    expect(price({ 'gpt-4o': requested })[0]).toBe('3');
    expect(price({ 'gpt-4o': requested, 'gpt-4o-2024-08-06': snapshot })[0]).toBe('4');
    expect(price({ 'gpt-4': requested, 'gpt-4o-mini': requested, 'GPT-4o': requested })).toEqual(fromTable);
  });

  it("prefer the organization's price under the requested name over the price for all under the response's name", () => {
    const customPrices = {
      'gpt-4o': { organization: [customPrice(3)] },
      'gpt-4o-2024-08-06': { all: [customPrice(4)] },
    };
    expect(price(customPrices)[0]).toBe('3');
  });

  it('apply from their start until the next price of their tier', () => {
    const all = [
      customPrice(3, { from: '2026-11-01T00:00:00.000Z' }),
      customPrice(9, { from: '2026-11-02T00:00:00.000Z', tier: 'flex' }),
      customPrice(4, { from: '2026-11-03T00:00:00.000Z' }),
      customPrice(0, { from: '2026-11-04T00:00:00.000Z', price: null }),
    ];
    const costAt = (at: string) => price({ 'gpt-4o': { all } }, { at: new Date(at) })[0];

    expect(costAt('2026-10-31T23:59:59.999Z')).toBe('2.5');
    expect(costAt('2026-11-01T00:00:00.000Z')).toBe('3');
    expect(costAt('2026-11-02T23:59:59.999Z')).toBe('3');
    expect(costAt('2026-11-03T00:00:00.000Z')).toBe('4');
    expect(costAt('2026-11-04T00:00:00.000Z')).toBe('2.5');
  });

  it('apply to their tier only, under any of its names', () => {
    const all = [customPrice(3), customPrice(9, { tier: 'priority' })];
    const costOf = (serviceTier: string | null, speed: string | null = null) =>
      price({ 'gpt-4o': { all } }, { context: { ...request.context, serviceTier, speed } })[0];

    expect([costOf(null), costOf('default'), costOf('auto')]).toEqual(['3', '3', '3']);
    expect([costOf('priority'), costOf('fast'), costOf(null, 'priority')]).toEqual(['9', '9', '9']);
    // 1.7 times the price in the standard tier, by the price table.
    expect([
      costOf('priority'),
      price({}, { context: { ...request.context, serviceTier: 'priority' } })[0],
    ]).toEqual(['9', '4.25']);
    expect(costOf('flex')).toBe('2.5');
    expect(costOf('priority', 'ultra')).toBe('4.25');
  });

  it('replace the prices of all kinds of tokens: a kind without its own costs what the more general kind does', () => {
    const costOf = (kinds: Partial<typeof noUsage>, prices: Partial<TokenPriceList>) =>
      price(
        { 'gpt-4o': { all: [customPrice(3, { prices })] } },
        { parts: [{ model: null, usage: { ...noUsage, ...kinds } }] },
      )[0];
    const million = 1_000_000;

    expect(costOf({ cachedInputTokens: million }, {})).toBe('3');
    expect(costOf({ cachedInputTokens: million }, { cache_read: 1 })).toBe('1');
    expect(costOf({ cacheWriteInputTokens: million }, {})).toBe('3');
    expect(costOf({ cacheWrite1hInputTokens: million }, {})).toBe('3');
    expect(costOf({ cacheWrite1hInputTokens: million }, { cache_write: 4 })).toBe('4');
    expect(costOf({ cacheWrite1hInputTokens: million }, { cache_write: 4, cache_write_1h: 6 })).toBe('6');
    expect(costOf({ freshInputTokens: million, audioInputTokens: million }, {})).toBe('3');
    expect(costOf({ outputTokens: million, reasoningTokens: million }, { output: 8 })).toBe('8');
    expect(costOf({ outputTokens: million, reasoningTokens: million }, { output_reasoning: 9 })).toBe('9');
  });

  it('are assumed for audio and images without a price, unless the provider charges them like text', () => {
    const pricingOf = (
      kinds: Partial<typeof noUsage>,
      prices: Partial<TokenPriceList> = {},
      { provider = 'openai', model = 'gpt-4o-audio-preview' } = {},
    ) => {
      const parts = [{ model: null, usage: { ...noUsage, ...kinds } }] as const;
      const names = { provider, model, responseModel: null };
      return price({ [model]: { all: [customPrice(3, { prices })] } }, { ...names, parts })[1];
    };
    const audioInput = { freshInputTokens: 9, audioInputTokens: 5 };
    const audioOutput = { outputTokens: 9, audioOutputTokens: 5 };
    const imageInput = { freshInputTokens: 9, imageInputTokens: 5 };
    const cachedImage = { cachedInputTokens: 9, imageInputTokens: 5, cachedImageInputTokens: 5 };
    const gemini = { provider: 'google', model: 'gemini-2.5-flash' };

    expect([pricingOf(audioInput), pricingOf(audioOutput)]).toEqual(['assumed', 'assumed']);
    expect(pricingOf(audioInput, { input_audio: 40 })).toBe('configuration');
    expect(pricingOf(audioOutput, { output_audio: 80 })).toBe('configuration');
    expect([imageInput, cachedImage].map((kinds) => pricingOf(kinds, {}, gemini))).toEqual([
      'configuration',
      'configuration',
    ]);
    expect(pricingOf(audioInput, {}, gemini)).toBe('assumed');
  });

  it('of 0 are certain for all kinds of tokens', () => {
    const parts = [{ model: null, usage: { ...noUsage, outputTokens: 9, audioOutputTokens: 5 } }] as const;
    const pricingOf = (longer: number) => {
      const free = {
        prices: { input: 0, output: 0 },
        above: [[1000, { input: 0, output: longer }]],
      } as const;
      return price({ 'gpt-4o': { all: [customPrice(0, { price: free })] } }, { parts }).slice(0, 2);
    };

    expect([pricingOf(0), pricingOf(1)]).toEqual([
      ['0', 'configuration'],
      ['0', 'assumed'],
    ]);
  });

  it('can differ for long contexts, where a kind that is left out keeps its price', () => {
    const long = customPrice(3, {
      price: {
        prices: { input: 3, output: 3, cache_read: 1 },
        above: [
          [200_000, { input: 6, output: 6 }],
          [500_000, { input: 8, output: 8, cache_read: 2 }],
        ],
      },
    });
    const costOf = (freshInputTokens: number, cachedInputTokens: number) =>
      price(
        { 'gpt-4o': { all: [long] } },
        { parts: [{ model: null, usage: { ...noUsage, freshInputTokens, cachedInputTokens } }] },
      )[0];

    expect(costOf(200_000, 0)).toBe('0.6');
    expect(costOf(200_000, 1)).toBe('1.200001');
    expect(costOf(500_000, 1)).toBe('4.000002');
  });

  it('do not include surcharges of regions, and leave the prices of searches to the price table', () => {
    const all = [customPrice(3)];
    const region = { ...request.context, region: 'eu', inferenceGeo: 'us' };
    expect(price({ 'gpt-5.5': { all } }, { model: 'gpt-5.5', responseModel: null, context: region })[0]).toBe(
      '3',
    );
    const search = {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      responseModel: null,
      parts: [{ model: null, usage: { ...usage, webSearches: 2 } }] as const,
    };
    // $10 per thousand searches.
    expect(price({ 'claude-sonnet-4-5': { all } }, search)).toEqual(['3.02', 'table', priceTable.version]);
  });

  it('apply under the requested name when only the name in the response has a price for searches', () => {
    const search = {
      model: 'my-alias',
      responseModel: 'gpt-4o-search-preview-2025-03-11',
      parts: [{ model: null, usage: { ...usage, webSearches: 1 } }] as const,
    };
    // $10 per thousand searches, which is assumed.
    expect(price({ 'my-alias': { all: [customPrice(1)] } }, search)).toEqual([
      '1.01',
      'assumed',
      priceTable.version,
    ]);
  });

  it('apply to each part of a response under its own model', () => {
    const parts = [
      { model: null, usage },
      { model: 'gpt-4o-mini', usage },
    ] as const;
    const mini = { all: [customPrice(1)] };

    expect(price({ 'gpt-4o': { all: [customPrice(3)] }, 'gpt-4o-mini': mini }, { parts })).toEqual([
      '4',
      'configuration',
      `all@${start}`,
    ]);
    // The first part has the price of the table: $2.50.
    expect(price({ 'gpt-4o-mini': mini }, { parts })).toEqual(['3.5', 'table', priceTable.version]);
    // No source says whether another model runs at the speed of the response.
    const context = { ...request.context, speed: 'fast' };
    const fast = { all: [customPrice(1, { tier: 'fast' })] };
    expect(price({ 'gpt-4o': fast, 'gpt-4o-mini': fast }, { parts, context })).toEqual([
      '2',
      'assumed',
      `all@${start}`,
    ]);
  });

  it('price a model that the price table does not have', () => {
    const unknown = { model: 'unheard-of', responseModel: null };
    expect(price({ 'unheard-of': { all: [customPrice(3)] } }, unknown)[0]).toBe('3');
    expect(price({}, unknown)).toEqual(['0', 'unknown', priceTable.version]);
  });
});
