import { describe, expect, it } from 'vitest';
import { requireUsualPrices } from '#cli/prices/unusual-prices.ts';
import type { ScopedPrices } from '#lambdas/pricing/custom/store.ts';

type Prices = Parameters<typeof requireUsualPrices>[0];

const price = { prices: { input: 1, output: 2 }, above: [] };
const custom: ScopedPrices[] = [
  {
    model: 'my-llm/other',
    organizationId: 'org_a',
    prices: [
      { from: '2026-01-01T00:00:00.000Z', tier: 'batch', price },
      { from: '2026-01-01T00:00:00.000Z', tier: 'ended', price: null },
    ],
  },
];
const readAll = async () => custom;
const messageOf = (prices: Prices, yes = false) =>
  requireUsualPrices(prices, { yes, readAll }).then(
    () => null,
    ({ message }: Error) => message,
  );

describe('Prices that may be mistakes', () => {
  const dear = { prices: { input: 1000, output: 1000.5 }, above: [] };
  const dearAbove = [[200_000, { input: 1, cache_read: 5000, output: 2000 }]] as const;
  it.each<[string, Prices[number], string]>([
    [
      'above 1,000 US dollars',
      { model: 'my-llm/a', tier: null, price: dear },
      'my-llm/a in the tier standard has output 1000.5',
    ],
    [
      'above 1,000 US dollars for long contexts',
      { model: 'openai/a', tier: 'flex', price: { ...price, above: dearAbove } },
      'openai/a in the tier flex has cache read 5000',
    ],
    [
      'in a tier that the price table does not have',
      { model: 'openai/a', tier: 'fats', price },
      'openai has no known tier fats',
    ],
    [
      'in a tier whose custom prices have ended',
      { model: 'my-llm/a', tier: 'ended', price },
      'my-llm has no known tier ended',
    ],
    [
      'in a tier of another provider',
      { model: 'groq/a', tier: 'batch', price },
      'groq has no known tier batch',
    ],
  ])('are refused %s, unless confirmed', async (_, unusual, reason) => {
    expect([await messageOf([unusual]), await messageOf([unusual], true)]).toEqual([
      `Nothing was changed, since these may be mistakes: ${reason}. If they are right, repeat the command with --yes`,
      null,
    ]);
  });

  it('are named together, each tier once', async () => {
    const ultra = { tier: 'ultra', price };
    const prices = [
      { model: 'groq/a', ...ultra },
      { model: 'groq/b', ...ultra },
      { model: 'xai/a', ...ultra, price: dear },
    ];

    expect(await messageOf(prices)).toContain(
      'xai/a in the tier ultra has output 1000.5; groq has no known tier ultra; xai has no known tier ultra.',
    );
  });

  it.each<[string, Prices[number]]>([
    [
      'of 1,000 US dollars',
      { model: 'a/a', tier: null, price: { ...price, prices: { input: 0, output: 1000 } } },
    ],
    ['in a tier of the price table', { model: 'openai/a', tier: 'ULTRAFAST', price }],
    ['in a tier with a factor', { model: 'anthropic/a', tier: 'batch', price }],
    ['in a tier with a custom price', { model: 'my-llm/a', tier: 'batch', price }],
    ['that end', { model: 'my-llm/a', tier: 'flex', price: null }],
  ])('do not include those %s', async (_, usual) => {
    expect(await messageOf([usual])).toBeNull();
  });
});
