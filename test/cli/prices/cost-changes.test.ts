import { describe, expect, it } from 'vitest';
import { type CostChange, costChangesOf, type SetPrice } from '#cli/prices/cost-changes.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { type ScopedPrices, snapshotOf } from '#lambdas/pricing/custom/store.ts';
import type { TokenPriceList } from '#lambdas/pricing/list-prices.ts';

const time = (month: number) => `2026-${String(month).padStart(2, '0')}-01T00:00:00.000Z`;

function price(month: number, prices: TokenPriceList | null, more: Partial<SetPrice> = {}): SetPrice {
  return {
    model: 'my-llm/a',
    organizationId: null,
    from: time(month),
    tier: null,
    price: prices && { prices, above: [] },
    ...more,
  };
}

interface Former {
  custom?: readonly SetPrice[];
  settings?: ProviderSettingsByName;
}

function changesOf(set: readonly SetPrice[], { custom = [], settings = {} }: Former = {}): CostChange[] {
  const scoped = custom.map(
    ({ model, organizationId, ...former }): ScopedPrices => ({ model, organizationId, prices: [former] }),
  );
  return costChangesOf(set, { snapshot: snapshotOf(scoped), settings });
}

const kindsOf = (...scene: Parameters<typeof changesOf>) =>
  changesOf(...scene).map(({ kinds }) =>
    kinds.map(({ above, kind, old, new: changed }) => [
      ...(above === null ? [] : [above]),
      ...[kind, old, changed],
    ]),
  );

const own = { organizationId: 'org_a' };
const configured = { 'my-llm': { prices: { input: 3, output: 6 } } };

describe('The changes of a new price', () => {
  it.each<[string, Former, unknown[]]>([
    [
      'no price',
      {},
      [
        ['input', null, 2],
        ['output', null, 8],
      ],
    ],
    [
      'a price in the configuration',
      { settings: configured },
      [
        ['input', 3, 2],
        ['output', 6, 8],
      ],
    ],
    [
      'a custom price for all, which precedes the configuration',
      { settings: configured, custom: [price(1, { input: 2, output: 5 })] },
      [['output', 5, 8]],
    ],
    [
      'a custom price of the organization, which precedes that for all',
      { custom: [price(1, { input: 2, output: 5 }), price(1, { input: 1, output: 8 }, own)] },
      [['input', 1, 2]],
    ],
    [
      'a price that has ended',
      { custom: [price(1, null)], settings: configured },
      [
        ['input', 3, 2],
        ['output', 6, 8],
      ],
    ],
    [
      'a later price',
      { custom: [price(7, { input: 1, output: 1 })] },
      [
        ['input', null, 2],
        ['output', null, 8],
      ],
    ],
    ['the same price', { custom: [price(1, { input: 2, output: 8 })] }, []],
    ['a price with the same start', { custom: [price(6, { input: 1, output: 8 }, own)] }, [['input', 1, 2]]],
  ])('are the differences to %s', (_, former, expected) => {
    expect(kindsOf([price(6, { input: 2, output: 8 }, own)], former)).toEqual([expected]);
  });

  it('are the differences to the price table, of the same tier and length', () => {
    const above = [[272_000, { input: 10, cache_read: 2, output: 45 }]] as const;
    const prices = { input: 5, cache_read: 0.5, output: 31 };
    const model = { model: 'openai/gpt-5.5' };
    const [standard, flex] = kindsOf([
      price(6, null, { ...model, price: { prices, above } }),
      price(6, { input: 2.5, output: 15 }, { ...model, tier: 'flex' }),
    ]);

    expect(standard).toEqual([['output', 30, 31], ...[[272_000, 'cache_read', 1, 2]]]);
    expect(flex).toEqual([
      ['cache_read', 0.25, 2.5],
      ...[
        [272_000, 'input', 5, 2.5],
        [272_000, 'cache_read', 0.5, 2.5],
        [272_000, 'output', 22.5, 15],
      ],
    ]);
  });

  it('leave out kinds that follow the price of a more general one', () => {
    const custom = [price(1, { input: 2, cache_read: 1, output: 8, output_audio: 9 })];

    expect(kindsOf([price(6, { input: 3, cache_write: 4, output: 8, output_audio: 8 })], { custom })).toEqual(
      [
        [
          ['input', 2, 3],
          ['cache_read', 1, 3],
          ['cache_write', 2, 4],
          ['output_audio', 9, 8],
        ],
      ],
    );
  });

  it('are the differences to the price before it, also if that is new', () => {
    const prices = [price(3, { input: 3, output: 1 }), price(2, { input: 2, output: 1 }), price(4, null)];
    const custom = [price(1, { input: 1, output: 1 })];

    expect(kindsOf(prices, { custom })).toEqual([
      [['input', 2, 3]],
      [['input', 1, 2]],
      [
        ['input', 3, null],
        ['output', 1, null],
      ],
    ]);
  });

  it('name the model, the organization, the tier and the start', () => {
    const [change] = changesOf([price(6, { input: 1, output: 1 }, { ...own, tier: 'flex' })]);

    expect(change).toEqual({
      model: 'my-llm/a',
      organizationId: 'org_a',
      tier: 'flex',
      from: time(6),
      kinds: [
        { above: null, kind: 'input', old: null, new: 1 },
        { above: null, kind: 'output', old: null, new: 1 },
      ],
    });
  });
});
