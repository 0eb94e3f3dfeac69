import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findSupersededRows, mergePrices } from '#bin/prices/merge.ts';
import { readPackagePrices, reduceModel } from '#bin/prices/package-models.ts';
import { priceDataFile, priceDataPath } from '#bin/prices/price-data-file.ts';
import { parsePriceRows, readPriceRows } from '#bin/prices/price-rows.ts';
import { pricesPage, pricesPagePath } from '#bin/prices/prices-page.ts';
import type { ProviderPrices } from '#lambdas/pricing/table/provider-prices.ts';

describe('npm run prices', () => {
  it('renders the current lambdas/pricing/table/price-data.ts; run it to update an outdated file', async () => {
    expect(readFileSync(priceDataPath, 'utf8')).toBe(
      priceDataFile(await readPackagePrices(), readPriceRows()),
    );
  });

  it('renders the current docs/prices.md; run it to update an outdated page', () => {
    expect(readFileSync(pricesPagePath, 'utf8')).toBe(pricesPage(readPriceRows()));
  });
});

const origin = { source: 'https://example.com/prices', date: '2026-11-22' };
const tokens = (models: string[], input: number, others: object = {}) => ({
  models,
  unit: 'usd_per_million_tokens',
  prices: { input, output: 2 * input },
  ...origin,
  ...others,
});

describe('parsePriceRows', () => {
  it.each([
    [
      { source: undefined },
      'file.json, row 1: source must be the https URL of the page that states the price',
    ],
    [
      { source: 'the pricing page' },
      'file.json, row 1: source must be the https URL of the page that states the price',
    ],
    [{ date: 'yesterday' }, 'file.json, row 1: date Invalid ISO date'],
    [
      { unit: 'usd' },
      "file.json, row 1: unit Invalid discriminator value. Expected 'usd_per_million_tokens'",
    ],
    [{ prices: { input: -1, output: 1 } }, 'file.json, row 1: prices.input must not be negative'],
    [{ prices: { input: 1 } }, 'file.json, row 1: prices.output must be a number of US dollars'],
    [
      { when: { service_tier: ['flex'], speed: ['fast'] } },
      'file.json, row 1: when must have either service_tier or speed',
    ],
    [
      { unit: 'factor', prices: { tokens: 2 }, when: { speed: ['a'], region: ['b'] } },
      'file.json, row 1: when must have exactly one condition',
    ],
    [
      { unit: 'factor', prices: { tokens: 2 }, when: { speed: ['a'] }, hosts: ['a.example.com'] },
      'file.json, row 1: hosts require a condition with one region',
    ],
    [
      { unit: 'derived', prices: ['input_picture'] },
      'file.json, row 1: prices.0 Invalid option: expected one of "input"',
    ],
    [{ when: { tier: 'flex' } }, 'file.json, row 1: when Unrecognized key: "tier"'],
  ])('names the file, the row and the field of %j', (changes, message) => {
    expect(() => parsePriceRows('file.json', [tokens(['m'], 1, changes)])).toThrow(message);
  });
});

describe('mergePrices', () => {
  const base: ProviderPrices = {
    fallbacks: ['other'],
    models: [
      ['model', { input: 1, output: 2, web_searches_kcount: 10 }, { starts_with: 'model' }],
      ['scheduled', [{ prices: { input: 1 } }, { from: '2026-01-01', prices: { input: 2 } }]],
    ],
  };
  const merge = (...rows: object[]) => mergePrices(base, parsePriceRows('file.json', rows));

  it('replaces the prices of a model, and keeps its names and the price of its searches', () => {
    expect(merge(tokens(['model'], 5)).models[0]).toEqual([
      'model',
      { input: 5, output: 10, web_searches_kcount: 10 },
      { starts_with: 'model' },
    ]);
  });

  it('puts a new model, which includes its versions, before the models whose patterns match it', () => {
    const { models } = merge(tokens(['model-2'], 5));
    expect(models.map(([id]) => id)).toEqual(['model-2', 'model', 'scheduled']);
    expect(models[0]?.[2]).toEqual({ versions_of: 'model-2' });
  });

  it('keeps the earlier prices of the package before a row with a first day', () => {
    expect(merge(tokens(['scheduled'], 5, { when: { from: '2026-11-01' } })).models[1]?.[1]).toEqual([
      { prices: { input: 1 } },
      { from: '2026-01-01', prices: { input: 2 } },
      { from: '2026-11-01', prices: { input: 5, output: 10 } },
    ]);
  });

  it('groups the models of a tier, with long-context prices and the mark of an assumed price', () => {
    const when = { service_tier: ['priority', 'fast'] };
    const above = [[1000, { input: 9, output: 10 }]];
    expect(merge(tokens(['model'], 5, { when, above, assumed: 'A third party quotes it' })).tiers).toEqual([
      {
        names: ['priority', 'fast'],
        models: [
          [
            'model',
            [{ assumed: true, prices: { input: [5, [1000, 9]], output: [10, [1000, 10]] } }],
            { versions_of: 'model' },
          ],
        ],
      },
    ]);
  });

  it('adds factors with their hosts, and the prices of units', () => {
    const models = [{ starts_with: 'model' }];
    const when = { region: ['eu'] };
    const merged = merge(
      { models, unit: 'factor', when, prices: { tokens: 1.1 }, hosts: ['eu.example.com'], ...origin },
      { models, unit: 'usd_per_thousand', prices: { web_searches: 14 }, ...origin },
      {
        models,
        unit: 'usd_per_minute',
        prices: { audio_minutes: 0.004 },
        ...origin,
      },
    );
    const [match] = models;

    expect(merged.factors).toEqual([{ when: 'region', is: 'eu', match, factor: 1.1 }]);
    expect(merged.hosts).toEqual({ 'eu.example.com': 'eu' });
    expect(merged.units).toEqual([
      { unit: 'web_searches', match, usd: 14 },
      { unit: 'audio_minutes', match, usd: 0.004 },
    ]);
    expect(merged.fallbacks).toEqual(['other']);
  });

  it('adds the names of free models', () => {
    const free = (models: unknown[]) => ({ models, unit: 'free', ...origin });
    expect(merge(free([{ ends_with: ':free' }]), free(['Other'])).free).toEqual([
      { ends_with: ':free' },
      { versions_of: 'other' },
    ]);
  });

  it('keeps names that end with :free only where a row makes them free', () => {
    const models = [['m:free', {}] as const, ['m', { input: 1 }] as const];
    const row = { models: [{ ends_with: ':free' }], unit: 'free', ...origin };
    const idsWith = (...rows: object[]) =>
      mergePrices({ models }, parsePriceRows('file.json', rows)).models.map(([id]) => id);
    expect([idsWith(), idsWith(row)]).toEqual([['m'], ['m:free', 'm']]);
  });

  it('adds the kinds of tokens whose price is derived', () => {
    const prices = ['input_image'];
    expect(merge({ models: ['Model'], unit: 'derived', prices, ...origin }).derived).toEqual([
      { match: { versions_of: 'model' }, prices },
    ]);
  });

  it('changes nothing without rows', () => {
    expect(merge()).toEqual(base);
  });
});

describe('findSupersededRows', () => {
  it('reports the rows whose models the package has by name, with the same prices or with others', () => {
    const base: ProviderPrices = {
      models: [['m', { input: 5, output: 10, web_searches_kcount: 10 }, { starts_with: 'm' }]],
    };
    const find = (...rows: object[]) => findSupersededRows(base, parsePriceRows('file.json', rows));

    expect(find(tokens(['m'], 5))).toEqual([{ model: 'm', hasSamePrices: true }]);
    expect(find(tokens(['m'], 6))).toEqual([{ model: 'm', hasSamePrices: false }]);
    expect(find(tokens(['m-large'], 5), tokens(['m'], 5, { when: { service_tier: ['flex'] } }))).toEqual([]);
  });
});

describe('readPackagePrices', () => {
  it('omits models of songs, which are charged by the piece', async () => {
    const { providers } = await readPackagePrices();
    const ids = providers.get('openrouter')?.models.map(([id]) => id);
    expect(ids).toContain('google/gemma-4-31b-it');
    expect(ids).not.toContain('google/lyria-3-pro-preview');
  });
});

describe('reduceModel', () => {
  const match = { equals: 'model' };
  const prices = { input_mtok: 1, requests_kcount: 5 };

  it('keeps only the id and the prices when the match rule is the id', () => {
    expect(reduceModel({ id: 'model', match, prices, name: 'Model', context_window: 8000 })).toEqual([
      'model',
      { input: 1, requests_kcount: 5 },
    ]);
  });

  it('keeps match rules, with partial names in lower case', () => {
    const eitherMatch = {
      or: [
        { equals: 'Model' },
        { and: [{ starts_with: 'A' }, { ends_with: 'B' }, { contains: 'D' }] },
        { regex: '^C' },
      ],
    };
    expect(reduceModel({ id: 'model', match: eitherMatch, prices: {} })).toEqual([
      'model',
      {},
      ['Model', { and: [{ starts_with: 'a' }, { ends_with: 'b' }, { contains: 'd' }] }, { regex: '^C' }],
    ]);
  });

  it('marks a deprecated model', () => {
    expect(reduceModel({ id: 'model', match, prices, deprecated: true })).toEqual([
      'model',
      { input: 1, requests_kcount: 5 },
      'model',
      'deprecated',
    ]);
  });

  it('sorts price tiers', () => {
    const tiers = [
      { start: 200, price: 3 },
      { start: 100, price: 2 },
    ];
    expect(reduceModel({ id: 'model', match, prices: { output_mtok: { base: 1, tiers } } })).toEqual([
      'model',
      { output: [1, [100, 2], [200, 3]] },
    ]);
  });

  it('keeps prices by start date and by time of day', () => {
    const conditionalPrices = [
      { prices },
      { constraint: { type: 'start_date', start_date: '2026-08-17' } as const, prices: {} },
      {
        constraint: { type: 'time_of_date', start_time: '06:00:00Z', end_time: '10:00:00Z' } as const,
        prices: {},
      },
    ];
    expect(reduceModel({ id: 'model', match, prices: conditionalPrices })).toEqual([
      'model',
      [
        { prices: { input: 1, requests_kcount: 5 } },
        { from: '2026-08-17', prices: {} },
        { between: ['06:00:00', '10:00:00'], prices: {} },
      ],
    ]);
  });

  it.each([
    { type: 'start_date', start_date: '17 August 2026' } as const,
    { type: 'time_of_date', start_time: '06:00:00+08:00', end_time: '10:00:00Z' } as const,
  ])('throws for the unsupported date or time in %j', (constraint) => {
    expect(() => reduceModel({ id: 'model', match, prices: [{ constraint, prices }] })).toThrow(
      'Unsupported date or time format',
    );
  });

  it('throws for an empty list of prices', () => {
    expect(() => reduceModel({ id: 'model', match, prices: [] })).toThrow('an empty list of prices');
  });
});
