import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { priceDataFile, priceDataPath, reduceModel } from '#bin/prices.ts';

describe('the file of prices', () => {
  it('is what `npm run prices` writes from the package that is installed', async () => {
    expect(readFileSync(priceDataPath, 'utf8')).toBe(await priceDataFile());
  });
});

describe('a model of the package', () => {
  const match = { equals: 'model' };
  const prices = { input_mtok: 1, requests_kcount: 5 };

  it('is its name and its prices, where it says no more', () => {
    expect(reduceModel({ id: 'model', match, prices, name: 'Model', context_window: 8000 })).toEqual([
      'model',
      { input: 1, requests_kcount: 5 },
    ]);
  });

  it('keeps the names that find it, parts of them in lower case', () => {
    const any = {
      or: [
        { equals: 'Model' },
        { and: [{ starts_with: 'A' }, { ends_with: 'B' }, { contains: 'D' }] },
        { regex: '^C' },
      ],
    };
    expect(reduceModel({ id: 'model', match: any, prices: {} })).toEqual([
      'model',
      {},
      ['Model', { and: [{ starts_with: 'a' }, { ends_with: 'b' }, { contains: 'd' }] }, { regex: '^C' }],
    ]);
  });

  it('is still known when it is deprecated', () => {
    expect(reduceModel({ id: 'model', match, prices, deprecated: true })).toEqual([
      'model',
      { input: 1, requests_kcount: 5 },
      'model',
      'deprecated',
    ]);
  });

  it('has its tiers in order', () => {
    const tiers = [
      { start: 200, price: 3 },
      { start: 100, price: 2 },
    ];
    expect(reduceModel({ id: 'model', match, prices: { output_mtok: { base: 1, tiers } } })).toEqual([
      'model',
      { output: [1, [100, 2], [200, 3]] },
    ]);
  });

  it('has its prices in turn, by the day and by the time of day', () => {
    const inTurn = [
      { prices },
      { constraint: { type: 'start_date', start_date: '2026-08-17' } as const, prices: {} },
      {
        constraint: { type: 'time_of_date', start_time: '06:00:00Z', end_time: '10:00:00Z' } as const,
        prices: {},
      },
    ];
    expect(reduceModel({ id: 'model', match, prices: inTurn })).toEqual([
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
  ])('is refused with a date or time of a form that has never been there: %j', (constraint) => {
    expect(() => reduceModel({ id: 'model', match, prices: [{ constraint, prices }] })).toThrow(
      'a date or time of a new form',
    );
  });

  it('is refused with an empty list of prices', () => {
    expect(() => reduceModel({ id: 'model', match, prices: [] })).toThrow('an empty list of prices');
  });
});
