import { describe, expect, it } from 'vitest';
import { isBelowBuiltIn } from '#cli/prices/built-in-prices.ts';
import { lookupOf } from '#cli/prices/request-prices.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import {
  contextBounds,
  type ListPrices,
  priceNames,
  ratesOf,
  type TokenPriceList,
  type TokenPricesByLength,
} from '#lambdas/pricing/list-prices.ts';
import { tokenKinds } from '#lambdas/pricing/rates.ts';
import { findTablePrices } from '#lambdas/pricing/table/price-table.ts';
import { fc } from '#test/support/fast-check.ts';

/** A Saturday. */
const now = () => new Date('2026-11-28T12:00:00Z');

interface Scene {
  model: string;
  tier?: string;
  /** Multiplies the prices of the table. */
  factor?: number;
  /** Default: all of the table. */
  price?: TokenPricesByLength;
  from?: Date;
  settings?: ProviderSettingsByName;
}

function isBelow({ model, tier, factor = 1, from, settings = {}, ...scene }: Scene): boolean {
  const price = scene.price ?? tablePrice(model, tier ?? null, factor);
  return isBelowBuiltIn(
    { model, tier: tier ?? null, organizationId: null, from: from ?? null, price },
    { settings, now },
  );
}

/** States all kinds of tokens, so that each can be changed alone. */
function tablePrice(model: string, tier: string | null, factor = 1): TokenPricesByLength {
  const found = findTablePrices(lookupOf({ model, tier, at: now() }, {}))?.prices ?? {};
  const above = contextBounds(found).map((bound) => [bound, listAt(found, bound + 1, factor)] as const);
  return { prices: listAt(found, 0, factor), above };
}

function listAt(prices: ListPrices, contextTokens: number, factor: number): TokenPriceList {
  const { usdPerMillion } = ratesOf(prices, contextTokens);
  const list = tokenKinds.map((kind) => [
    priceNames[kind],
    Number(((usdPerMillion[kind] ?? 0) * factor).toFixed(9)),
  ]);
  return { input: 0, output: 0, ...Object.fromEntries(list) };
}

const models = [
  ['openai/gpt-5.5', null],
  ['openai/gpt-5.5', 'flex'],
  ['openai/gpt-5.5', 'priority'],
  ['google/gemini-2.5-pro', null],
  ['groq/openai/gpt-oss-120b', null],
] as const;

describe('An imported price', () => {
  it('is below the built-in one when any kind of token in any length is', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        fc.nat(),
        fc.constantFrom(...tokenKinds),
        fc.constantFrom(0.99, 1, 1.01),
        ([model, tier], index, kind, factor) => {
          const { prices, above } = tablePrice(model, tier);
          const lists = [prices, ...above.map(([, longer]) => longer)];
          const at = index % lists.length;
          const changed = lists.map((list, position) => {
            const usd = list[priceNames[kind]] ?? 0;
            return position === at ? { ...list, [priceNames[kind]]: usd * factor } : list;
          });
          const [short = prices, ...longer] = changed;
          const price = {
            prices: short,
            above: above.map(([bound], i) => [bound, longer[i] ?? short] as const),
          };

          expect(isBelow({ model, ...(tier && { tier }), price })).toBe(factor < 1);
        },
      ),
    );
  });

  const shortList = tablePrice('openai/gpt-5.5', null).prices;
  it.each<[string, boolean, Scene]>([
    [
      'of a model that the table does not know',
      false,
      { model: 'vllm/a', price: { prices: { input: 0, output: 0 }, above: [] } },
    ],
    [
      'without the long-context prices of the table',
      true,
      { model: 'openai/gpt-5.5', price: { prices: shortList, above: [] } },
    ],
    [
      'of long contexts from a later length on',
      true,
      { model: 'openai/gpt-5.5', price: laterBound('openai/gpt-5.5') },
    ],
    [
      'of a tier for which the table assumes the standard price',
      true,
      { model: 'openai/gpt-4', tier: 'flex', factor: 0.5 },
    ],
    ['that equals what the table assumes', false, { model: 'openai/gpt-4', tier: 'flex' }],
    ['without the surcharge of an inference geography', true, { model: 'anthropic/claude-opus-5' }],
    [
      'with the surcharge of an inference geography',
      false,
      { model: 'anthropic/claude-opus-5', factor: 1.1 },
    ],
    [
      'without the surcharge of the configured region',
      true,
      { model: 'openai/gpt-5.5', settings: { openai: { baseUrl: 'https://eu.api.openai.com/v1' } } },
    ],
    [
      'without the priceFactor of the provider',
      true,
      { model: 'openai/gpt-5.5', settings: { openai: { priceFactor: 2 } } },
    ],
    [
      'with the priceFactor of the provider',
      false,
      { model: 'openai/gpt-5.5', factor: 2, settings: { openai: { priceFactor: 2 } } },
    ],
    ['without the fee of a request', true, { model: 'perplexity/sonar', settings: { perplexity: {} } }],
    ['that other hours of the week exceed', true, { model: 'deepseek/deepseek-v4-flash' }],
    ['above all hours of the week', false, { model: 'deepseek/deepseek-v4-flash', factor: 2 }],
  ])('%s: below the built-in one %s', (_, expected, scene) => {
    expect(isBelow(scene)).toBe(expected);
  });

  it('is compared with the prices at its own start', () => {
    // Its cache reads cost 0.22 US dollars until 2026-10-07.
    const model = 'bedrock/anthropic.claude-sonnet-5-5';

    expect([isBelow({ model }), isBelow({ model, from: new Date('2026-09-01T00:00:00Z') })]).toEqual([
      false,
      true,
    ]);
  });
});

function laterBound(model: string): TokenPricesByLength {
  const { prices, above } = tablePrice(model, null);
  return { prices, above: above.map(([bound, longer]) => [bound + 1, longer] as const) };
}
