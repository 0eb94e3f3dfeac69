import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { priceDataFile, priceDataPath, reduceModel } from '#bin/prices.ts';

describe('priceDataFile', () => {
  it('renders the current lambdas/pricing/price-data.ts; run `npm run prices` to update an outdated file', async () => {
    expect(readFileSync(priceDataPath, 'utf8')).toBe(await priceDataFile());
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
