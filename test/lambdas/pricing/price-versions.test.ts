import { describe, expect, it } from 'vitest';
import type { CustomPrice } from '#lambdas/pricing/custom/custom-price.ts';
import { priceVersionsOf } from '#lambdas/pricing/price-versions.ts';
import { priceData } from '#lambdas/pricing/table/price-data.ts';
import { isSchedule, providerPrices } from '#lambdas/pricing/table/provider-prices.ts';

function versionsOf(provider: string, model: string, all: readonly CustomPrice[] = [], priceFactor?: number) {
  const findCustomPrices = () => ({ organization: [], all });
  return priceVersionsOf({ provider, model, settings: { priceFactor }, findCustomPrices });
}

const dated = Object.keys(priceData).flatMap((provider) =>
  (providerPrices(provider)?.models ?? []).flatMap(([model, prices]) =>
    isSchedule(prices) && prices.some(({ from, between }) => from && !between) ? [{ provider, model }] : [],
  ),
);

describe('The versions of a price', () => {
  it('of the table begin with one without a start, and are in the order of their starts', () => {
    expect(dated.length).toBeGreaterThan(3);
    for (const { provider, model } of dated) {
      const starts = versionsOf(provider, model).map(({ from }) => from ?? '');
      expect([model, starts]).toEqual([model, starts.toSorted().toReversed()]);
      // The setting changes the prices of the table.
      expect(versionsOf(provider, model, [], 1.1)).toEqual([]);
    }
  });

  it('of the operator have their author', () => {
    const set = { by: 'ada', at: '2026-11-02T00:00:00.000Z' };
    const price = { prices: { input: 1, output: 2 }, above: [] };
    const first: CustomPrice = { from: '2026-11-03T00:00:00.000Z', tier: null, price };
    const end: CustomPrice = { from: '2026-12-01T00:00:00.000Z', tier: null, price: null, set };
    expect(versionsOf('own', 'llama', [first, end])).toEqual([
      { source: 'all_organizations', tier: null, from: end.from, usd: null, set },
      {
        source: 'all_organizations',
        tier: null,
        from: first.from,
        usd: { input: 1, cachedInput: null, output: 2 },
        set: null,
      },
    ]);
  });
});
