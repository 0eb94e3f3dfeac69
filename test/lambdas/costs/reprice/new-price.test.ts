import { describe, expect, it } from 'vitest';
import { newPriceOf, type Repricing, taskName } from '#lambdas/costs/reprice/new-price.ts';
import type { CustomPrice } from '#lambdas/pricing/custom/custom-price.ts';
import { noCustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import { type ScopedPrices, snapshotOf } from '#lambdas/pricing/custom/store.ts';
import { type PriceRequest, priceUsage } from '#lambdas/pricing/price.ts';
import type { PriceTable } from '#lambdas/pricing/table/price-table.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { type BilledPart, type BilledParts, noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { flatRates } from './flat-rates.ts';

const usage = { ...noUsage, freshInputTokens: 1000, outputTokens: 500 };
const unknown = {
  ...usageFields([{ model: null, usage }], null),
  cost_usd: '0',
  pricing: 'unknown',
  pricing_version: 'genai-prices 0.0.1',
} as const;

const newPrice = (fields: Partial<LogEntry>, repricing: Partial<Repricing> = {}) =>
  newPriceOf(logEntry({ ...unknown, ...fields }), {
    entries: 'uncertain',
    table: priceTable,
    settings: {},
    customPrices: snapshotOf([]),
    ...repricing,
  });

const fromTable = { pricing: 'table', pricing_version: priceTable.version, pricing_gaps: null };

/** A price table with the same price for every model and every kind of token. */
function flatTable(usdPerMillion: number, isAssumed = false): PriceTable {
  return {
    version: 'flat',
    findRates: () => ({ ...flatRates(usdPerMillion), isAssumed }),
    findRegion: () => null,
  };
}

const fromFlat = { pricing: 'table', pricing_version: 'flat', pricing_gaps: null };

describe('newPriceOf', () => {
  it('uses the price of the response model, or else of the requested model', () => {
    expect(newPrice({ response_model: 'gpt-4o-2024-05-13' })).toEqual({ cost_usd: '0.0125', ...fromTable });
    expect(newPrice({ response_model: 'ft:unheard-of' })).toEqual({ cost_usd: '0.0075', ...fromTable });
    expect(newPrice({ response_model: null })).toEqual({ cost_usd: '0.0075', ...fromTable });
  });

  it('prefers configured prices', () => {
    const settings = {
      vllm: { prices: { input: 1, output: 2 } },
      openai: { prices: { input: 3, output: 4 } },
    };
    const configured = { pricing: 'configuration', pricing_version: 'configuration', pricing_gaps: null };
    expect(newPrice({ provider: 'vllm' }, { settings })).toEqual({ cost_usd: '0.002', ...configured });
    expect(newPrice({}, { settings })).toEqual({ cost_usd: '0.005', ...configured });
  });

  it('prefers the custom prices of the time of the request, those of the organization over those for all', () => {
    const all = [customPrice(1), customPrice(2, '2026-02-01T00:00:00.000Z')];
    const organization = [customPrice(5, '2026-03-01T00:00:00.000Z')];
    const customPrices = snapshotOf([
      { ...gpt, prices: all },
      { ...gpt, organizationId: 'org_1', prices: organization },
    ]);
    const at = (created_at: string, organization_id: string) =>
      newPrice({ created_at, organization_id }, { customPrices });
    const price = (cost_usd: string, pricing_version: string) => ({
      cost_usd,
      pricing: 'configuration',
      pricing_version,
      pricing_gaps: null,
    });

    expect(at('2025-12-31T23:59:59.999Z', 'org_1')).toEqual({ cost_usd: '0.0075', ...fromTable });
    expect(at('2026-01-31T23:59:59.999Z', 'org_1')).toEqual(price('0.0015', 'all@2026-01-01T00:00:00.000Z'));
    expect(at('2026-02-28T00:00:00.000Z', 'org_1')).toEqual(price('0.003', 'all@2026-02-01T00:00:00.000Z'));
    expect(at('2026-03-01T00:00:00.000Z', 'org_1')).toEqual(
      price('0.0075', 'organization@2026-03-01T00:00:00.000Z'),
    );
    expect(at('2026-03-01T00:00:00.000Z', 'org_2')).toEqual(price('0.003', 'all@2026-02-01T00:00:00.000Z'));
  });

  it('multiplies the prices of the table by the configured factor', () => {
    const settings = { openai: { priceFactor: 1.1 } };
    expect(newPrice({}, { settings })).toEqual({ cost_usd: '0.00825', ...fromTable });
  });

  it('uses the price at the time of the request', () => {
    // o3 became cheaper on 10 June 2025: https://github.com/pydantic/genai-prices
    const o3 = { model: 'o3', response_model: 'o3' };
    const at = (created_at: string) => newPrice({ ...o3, created_at })?.cost_usd;
    expect([at('2025-06-09T23:59:59.999Z'), at('2025-06-10T00:00:00.000Z')]).toEqual(['0.03', '0.006']);
  });

  it('looks prices up by the price context of the entry', () => {
    const contexts: unknown[] = [];
    const table: PriceTable = {
      ...flatTable(1),
      findRates({ context }) {
        contexts.push(context);
        return flatRates(1);
      },
    };
    const fields = { service_tier: 'priority', speed: 'fast', inference_geo: 'us', region: 'eu' };
    newPrice(fields, { table });
    expect(contexts[0]).toEqual({
      serviceTier: 'priority',
      speed: 'fast',
      inferenceGeo: 'us',
      region: 'eu',
    });
  });

  it('adds up the billed parts, each at the price of its own model', () => {
    const parts = [
      { model: null, usage },
      { model: 'gpt-4o-mini', usage: { ...noUsage, freshInputTokens: 10_000, outputTokens: 2000 } },
    ];
    // (1,000 × 2.5 + 500 × 10 + 10,000 × 0.15 + 2,000 × 0.6) USD per million
    expect(newPrice(usageFields(parts, 'gpt-4o-2024-08-06'))).toEqual({ cost_usd: '0.0102', ...fromTable });
  });

  it('keeps the charges that are known to be missing', () => {
    const price = newPrice({ pricing_gaps: ['code_execution'] }, { table: flatTable(1) });
    expect(price).toEqual({ cost_usd: '0.0015', ...fromFlat, pricing_gaps: ['code_execution'] });
  });

  it('returns null when there is still no price', () => {
    expect(newPrice({ model: 'unheard-of', response_model: null })).toBe(null);
    expect(newPrice({ provider: 'constructor' })).toBe(null);
  });

  it.each([
    ['one part', [{ model: null, usage }]],
    [
      'several parts',
      [
        { model: null, usage },
        { model: 'gpt-4o-mini', usage },
      ],
    ],
  ] satisfies [string, BilledPart[]][])('assumes the price of incomplete usage with %s', (_, parts) => {
    const fields = { ...usageFields(parts, 'gpt-4o-2024-08-06'), usage_source: 'incomplete' } as const;
    const price = newPrice(fields);
    expect(price).toEqual({ ...newPrice({ ...fields, usage_source: 'provider' }), pricing: 'assumed' });
    expect(newPrice({ ...fields, ...price }, { entries: 'all' })).toBe(null);
  });

  it.each<[Partial<LogEntry>, object | null]>([
    [{ usage_source: 'estimated' }, { cost_usd: '0.0075', ...fromTable }],
    [{ outcome: 'interrupted' }, { cost_usd: '0.0075', ...fromTable }],
    [
      { outcome: 'interrupted', usage_source: 'estimated' },
      { cost_usd: '0.0075', ...fromTable, pricing: 'assumed' },
    ],
    [{ usage_source: 'estimated', reserved_usd: '0.0076' }, null],
    [{ usage_source: 'incomplete', reserved_usd: '0.0076' }, null],
    [
      { usage_source: 'incomplete', reserved_usd: '0.0074' },
      { cost_usd: '0.0075', ...fromTable, pricing: 'assumed' },
    ],
    [
      { usage_source: 'provider', reserved_usd: '0.0076' },
      { cost_usd: '0.0075', ...fromTable },
    ],
    [
      { usage_warnings: ['total_differs'], reserved_usd: '0.0076' },
      { cost_usd: '0.0075', ...fromTable, pricing: 'assumed' },
    ],
  ])('keeps the reservation where the usage is not certain: %j', (fields, expected) => {
    const cost_usd = fields.reserved_usd ?? '0';
    expect(
      newPrice({
        ...fields,
        cost_usd,
        pricing: cost_usd === '0' ? 'unknown' : 'assumed',
        response_model: null,
      }),
    ).toEqual(expected);
  });

  it('keeps the price of usage with a warning assumed, also when all entries are priced again', () => {
    const warned = { usage_warnings: ['counts_decreased', 'total_differs'] } as const;
    const price = newPrice(warned);
    expect(price).toMatchObject({ ...fromTable, pricing: 'assumed' });
    expect(newPrice({ ...warned, ...price }, { entries: 'all' })).toBe(null);
  });

  it('returns null for a priced entry without a current price', () => {
    const priced = { ...fromTable, cost_usd: '0.1', pricing: 'table' } as const;
    expect(newPrice({ ...priced, provider: 'vllm' }, { entries: 'all' })).toBe(null);
    expect(newPrice({ ...priced, pricing: 'assumed', provider: 'vllm' })).toBe(null);
  });

  it.each([
    ['unknown', true, true],
    ['assumed', true, true],
    ['table', false, true],
    ['configuration', false, true],
    ['provider', false, false],
    [null, false, false],
  ] as const)('selects an entry with the pricing %s: %s, of all entries: %s', (pricing, uncertain, all) => {
    const usageOrNone = pricing === null ? usageFields([], null) : {};
    const isSelected = (entries: Repricing['entries']) =>
      newPrice({ pricing, cost_usd: '7', ...usageOrNone }, { entries, table: flatTable(1) }) !== null;
    expect([isSelected('uncertain'), isSelected('all')]).toEqual([uncertain, all]);
  });

  it('replaces an assumed price by the price of the table, also when the cost is the same', () => {
    const assumed = { pricing: 'assumed', cost_usd: '0.0015' } as const;
    expect(newPrice(assumed, { table: flatTable(1) })).toEqual({ cost_usd: '0.0015', ...fromFlat });
    expect(newPrice(assumed, { table: flatTable(1, true) })).toBe(null);
    expect(newPrice(assumed, { table: flatTable(2, true) })).toEqual({
      ...fromFlat,
      cost_usd: '0.003',
      pricing: 'assumed',
    });
  });

  it('returns null when the cost is the same with a newer price table', () => {
    const same = { cost_usd: '0.0075', pricing: 'table', pricing_version: 'genai-prices 0.0.1' } as const;
    expect(newPrice(same, { entries: 'all' })).toBe(null);
  });

  it('returns a zero price for an entry without a price whose model is now free', () => {
    const free = { provider: 'openrouter', model: 'x/y:free', response_model: null };
    expect(newPrice(free, { table: flatTable(0) })).toEqual({ cost_usd: '0', ...fromFlat });
  });

  it('returns null for an entry without a provider', () => {
    expect(newPrice({ provider: null, model: null }, { entries: 'all' })).toBe(null);
  });

  it('returns the price that the chat function would, for any usage', () => {
    const count = fc.nat({ max: 2_000_000 });
    const usages: fc.Arbitrary<TokenUsage> = fc
      .record({
        freshInputTokens: count,
        cachedInputTokens: count,
        cacheWriteInputTokens: count,
        cacheWrite1hInputTokens: count,
        outputTokens: count,
        reasoningTokens: count,
        audioInputTokens: count,
        cachedAudioInputTokens: count,
        audioOutputTokens: count,
        imageOutputTokens: count,
        webSearches: fc.nat({ max: 5 }),
      })
      .map((counts) => ({ ...noUsage, ...counts }));
    const model = fc.constantFrom('claude-sonnet-4-5', 'claude-opus-4-1', 'claude-3-5-haiku-latest');
    const parts: fc.Arbitrary<BilledParts> = fc.tuple(
      fc.record({ model: fc.constant(null), usage: usages }),
      fc.record({ model: fc.constantFrom('claude-opus-4-6', 'claude-haiku-4-5'), usage: usages }),
    );
    const serviceTier = fc.constantFrom(null, 'standard', 'priority', 'batch');
    const { created_at } = logEntry();
    fc.assert(
      fc.property(parts, model, serviceTier, (used, model, serviceTier) => {
        const request: PriceRequest = {
          provider: 'anthropic',
          model,
          responseModel: null,
          context: { serviceTier, speed: null, inferenceGeo: null, region: null },
          parts: used,
          gaps: [],
          reportedCostUsd: null,
          at: new Date(created_at),
          settings: {},
          findCustomPrices: () => noCustomPrices,
        };
        const first = priceUsage(request, priceTable);
        const fields = { provider: 'anthropic', model, response_model: null, service_tier: serviceTier };
        const repriced = newPrice({ ...fields, ...usageFields(first.parts, model) });
        expect(repriced).toEqual(first.price.pricing === 'unknown' ? null : first.price);
      }),
    );
  });
});

const customPrice = (usd: number, from = '2026-01-01T00:00:00.000Z'): CustomPrice => ({
  from,
  tier: null,
  price: { prices: { input: usd, output: usd }, above: [] },
});
const gpt = { model: 'openai/gpt-4o', organizationId: null, prices: [customPrice(1)] };

describe('taskName', () => {
  const repricing: Repricing = {
    entries: 'uncertain',
    table: flatTable(1),
    settings: {},
    customPrices: snapshotOf([]),
  };
  const withCustomPrices = (...all: ScopedPrices[]) =>
    taskName({ repricing: { ...repricing, customPrices: snapshotOf(all) } });
  const withSettings = (settings: Repricing['settings']) =>
    taskName({ repricing: { ...repricing, settings } });

  it('changes with everything that affects prices, and with nothing else', () => {
    const names = [
      taskName({ repricing }),
      taskName({ repricing: { ...repricing, entries: 'all' } }),
      taskName({ repricing: { ...repricing, table: { ...flatTable(1), version: 'other' } } }),
      taskName({ repricing, organization: 'org_1' }),
      taskName({ repricing, from: 1 }),
      taskName({ repricing, to: 1 }),
      withSettings({ openai: { prices: { input: 1, output: 2 } } }),
      withSettings({ openai: { priceFactor: 1.1 } }),
      withSettings({ openai: { priceFactor: 1.2 } }),
      withSettings({ azure: { priceFactor: 1.2 } }),
      withCustomPrices(gpt),
      withCustomPrices({ ...gpt, organizationId: 'org_1' }),
      withCustomPrices({ ...gpt, prices: [customPrice(2)] }),
    ];
    expect(new Set(names).size).toBe(names.length);
    const a = { priceFactor: 1.1 };
    const b = { priceFactor: 1.2 };
    expect(withSettings({ a, b })).toBe(withSettings({ b, a }));
  });
});
