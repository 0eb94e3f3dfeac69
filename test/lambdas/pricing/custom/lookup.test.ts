import { describe, expect, it } from 'vitest';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { createCustomPriceLookup } from '#lambdas/pricing/custom/lookup.ts';
import { emptyPriceTable } from '#test/support/prices.ts';

const from = '2026-01-01T00:00:00.000Z';
const storedPrice = (input: number) => ({ from, prices: { input, output: 2 } });
const customPrice = (input: number) => ({
  from,
  tier: null,
  price: { prices: { input, output: 2 }, above: [] },
});

/** Items by model and scope. Records the keys that are read. */
function lookupIn(items: Record<string, object>) {
  const reads: string[] = [];
  let nowMs = 0;
  const lookup = createCustomPriceLookup({
    calls: {
      async get(tableName, { model, scope }) {
        reads.push(`${tableName} ${model} ${scope}`);
        const item = items[`${model} ${scope}`];
        if (item instanceof Error) throw item;
        return item === undefined ? null : { model, scope, ...item };
      },
    },
    tableName: 'Prices',
    now: () => new Date(nowMs),
  });
  return {
    find: lookup,
    lookup: async (organizationId: string, model: string) => (await lookup(organizationId, model)).prices,
    reads,
    items,
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('Lookup of custom prices', () => {
  it('reads a model without prices once, for all organizations', async () => {
    const { lookup, reads } = lookupIn({});

    expect(await lookup('org_a', 'openai/gpt-4o')).toEqual({ organization: [], all: [] });
    expect(await lookup('org_b', 'openai/gpt-4o')).toEqual({ organization: [], all: [] });
    expect(reads).toEqual(['Prices openai/gpt-4o all']);
  });

  it("reads an organization's prices only of a model for which any organization has some", async () => {
    const { lookup, reads } = lookupIn({
      'openai/a all': { prices: [storedPrice(1)] },
      'openai/b all': { prices: [storedPrice(1)], has_organization_prices: true },
      'openai/b org_a': { prices: [storedPrice(3)] },
    });

    expect(await lookup('org_a', 'openai/a')).toEqual({ organization: [], all: [customPrice(1)] });
    expect(await lookup('org_a', 'openai/b')).toEqual({
      organization: [customPrice(3)],
      all: [customPrice(1)],
    });
    expect(await lookup('org_b', 'openai/b')).toEqual({ organization: [], all: [customPrice(1)] });
    expect(reads).toEqual([
      'Prices openai/a all',
      'Prices openai/b all',
      'Prices openai/b org_a',
      'Prices openai/b org_b',
    ]);
  });

  it('caches prices and their absence for a minute', async () => {
    const { lookup, items, wait } = lookupIn({ 'openai/a all': { prices: [storedPrice(1)] } });
    await lookup('org_a', 'openai/a');
    await lookup('org_a', 'openai/b');
    items['openai/a all'] = { prices: [storedPrice(5)] };
    items['openai/b all'] = { prices: [storedPrice(6)] };
    wait(59_999);

    expect((await lookup('org_a', 'openai/a')).all).toEqual([customPrice(1)]);
    expect((await lookup('org_a', 'openai/b')).all).toEqual([]);
    wait(1);
    expect((await lookup('org_a', 'openai/a')).all).toEqual([customPrice(5)]);
    expect((await lookup('org_a', 'openai/b')).all).toEqual([customPrice(6)]);
  });

  it('shares the read of concurrent requests', async () => {
    const { lookup, reads } = lookupIn({});
    await Promise.all(Array.from({ length: 10 }, () => lookup('org_a', 'openai/a')));

    expect(reads).toHaveLength(1);
  });

  it('keeps what was read last while it cannot be read again, and says until when it was valid', async () => {
    const { find, items, wait } = lookupIn({
      'openai/a all': { prices: [storedPrice(1)], has_organization_prices: true },
      'openai/a org_a': { prices: [storedPrice(3)] },
    });
    const prices = { organization: [customPrice(3)], all: [customPrice(1)] };
    expect(await find('org_a', 'openai/a')).toEqual({ prices, validUntilMs: 60_000 });
    wait(90_000);
    items['openai/a org_a'] = new Error('throttled');

    expect(await find('org_a', 'openai/a')).toEqual({ prices, validUntilMs: 60_000 });
    items['openai/a org_a'] = { prices: [storedPrice(4)] };
    expect(await find('org_a', 'openai/a')).toEqual({
      prices: { organization: [customPrice(4)], all: [customPrice(1)] },
      validUntilMs: 150_000,
    });
  });

  it('rejects when the read fails, and reads again', async () => {
    const { lookup, items } = lookupIn({ 'openai/a all': new Error('throttled') });

    await expect(lookup('org_a', 'openai/a')).rejects.toThrow('throttled');
    items['openai/a all'] = { prices: [storedPrice(1)] };
    expect((await lookup('org_a', 'openai/a')).all).toEqual([customPrice(1)]);
  });

  it.each([750, undefined])('limits each read to the given time: %s ms', async (timeoutMs) => {
    const limits: (number | undefined)[] = [];
    const get = async (_table: string, _key: Item, limitMs?: number) => {
      limits.push(limitMs);
      return { prices: [], has_organization_prices: true };
    };
    const lookup = createCustomPriceLookup({ ...emptyPriceTable, calls: { get }, timeoutMs });
    await lookup('org_a', 'openai/a');

    expect(limits).toEqual([timeoutMs, timeoutMs]);
  });

  it('reads every kind of price, with decimals, tiers, long contexts and ends', async () => {
    // DynamoDB's decimals are read as text.
    const { lookup } = lookupIn({
      'openai/a all': {
        prices: [
          {
            from,
            tier: 'flex',
            prices: { input: '0.25', output: 2, cache_read: '0.025' },
            above: [[200_000, { input: '0.5', output: 3 }]],
          },
          { from: '2026-02-01T00:00:00.000Z', tier: 'flex' },
        ],
      },
    });

    expect((await lookup('org_a', 'openai/a')).all).toEqual([
      {
        from,
        tier: 'flex',
        price: {
          prices: { input: 0.25, output: 2, cache_read: 0.025 },
          above: [[200_000, { input: 0.5, output: 3 }]],
        },
      },
      { from: '2026-02-01T00:00:00.000Z', tier: 'flex', price: null },
    ]);
  });

  it.each([
    ['text', 'cheap'],
    ['a price without a start', [{ prices: { input: 1, output: 1 } }]],
    ['a price without output', [{ from, prices: { input: 1 } }]],
    ['a price that is no number', [{ from, prices: { input: 'one', output: 1 } }]],
    ['an invalid long-context price', [{ from, prices: { input: 1, output: 1 }, above: [[1]] }]],
  ])('rejects an item that was changed by hand: %s', async (_, prices) => {
    const { lookup } = lookupIn({ 'openai/a all': { prices } });

    await expect(lookup('org_a', 'openai/a')).rejects.toThrow(
      'The item of the Prices table with model "openai/a" and scope "all" is not valid: delete it and set its prices again',
    );
  });
});
