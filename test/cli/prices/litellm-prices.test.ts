import { describe, expect, it } from 'vitest';
import { type Row, tierPricesOf } from '#cli/prices/litellm-prices.ts';
import { rateFinders } from '#lambdas/pricing/precedence.ts';
import { tokenKinds } from '#lambdas/pricing/rates.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { fc } from '#test/support/fast-check.ts';
import { liteLlmRates } from './litellm-rates.ts';

const row = (fields: object): Row => ({
  litellm_provider: 'openai',
  input_cost_per_token: 2e-6,
  output_cost_per_token: 8e-6,
  ...fields,
});
const longInput = { input_cost_per_token_above_272k_tokens: 4e-6 };
const flex = { input_cost_per_token_flex: 1e-6, output_cost_per_token_flex: 4e-6 };

function pricesOf(fields: object, wanted: string | null = null) {
  const price = tierPricesOf('a', row(fields)).find(({ tier }) => tier === wanted)?.price;
  return [price?.prices, ...(price?.above ?? [])];
}

describe('A tier of LiteLLM without prices of its own above a threshold', () => {
  it.each([
    [
      'has the standard long price',
      { ...longInput, ...flex, output_cost_per_token_above_272k_tokens: 1.2e-5 },
      'flex',
      [{ input: 1, output: 4 }, [272_000, { input: 4, output: 12 }]],
    ],
    [
      'keeps its short price if that is dearer',
      { ...longInput, input_cost_per_token_priority: 5e-6, output_cost_per_token_priority: 1.6e-5 },
      'priority',
      [{ input: 5, output: 16 }, [272_000, { input: 5, output: 16 }]],
    ],
    [
      'has the standard long price of the kinds that it leaves out there',
      {
        ...longInput,
        ...flex,
        input_cost_per_token_above_272k_tokens_flex: 2e-6,
        cache_read_input_token_cost: 2e-7,
        cache_read_input_token_cost_above_272k_tokens: 4e-7,
        cache_read_input_token_cost_flex: 1e-7,
        output_cost_per_token_above_272k_tokens: 1.2e-5,
      },
      'flex',
      [{ input: 1, cache_read: 0.1, output: 4 }, [272_000, { input: 2, cache_read: 0.4, output: 12 }]],
    ],
    [
      'has its own prices between the standard thresholds',
      {
        input_cost_per_token_above_128k_tokens: 3e-6,
        input_cost_per_token_above_512k_tokens: 6e-6,
        ...flex,
        input_cost_per_token_above_256k_tokens_flex: 4e-6,
      },
      'flex',
      [
        { input: 1, output: 4 },
        [128_000, { input: 3, output: 4 }],
        [256_000, { input: 4, output: 4 }],
        [512_000, { input: 6, output: 4 }],
      ],
    ],
    [
      'keeps standard audio and images, which LiteLLM has no prices of in tiers',
      { ...flex, output_cost_per_audio_token: 2e-5, input_cost_per_image_token: 3e-6 },
      'flex',
      [{ input: 1, input_image: 3, output: 4, output_audio: 20 }],
    ],
  ])('%s', (_, fields, tier, expected) => {
    expect(pricesOf(fields, tier)).toEqual(expected);
  });
});

describe('A kind of token without a price of its own above a threshold', () => {
  it.each([
    [
      'costs as much for an hour as other cache writes',
      {
        cache_creation_input_token_cost: 2.5e-6,
        cache_creation_input_token_cost_above_1hr: 4e-6,
        ...longInput,
        cache_creation_input_token_cost_above_272k_tokens: 5e-6,
      },
      [
        { input: 2, cache_write: 2.5, cache_write_1h: 4, output: 8 },
        [272_000, { input: 4, cache_write: 5, cache_write_1h: 5, output: 8 }],
      ],
    ],
    [
      'costs for an hour what the row states',
      {
        cache_creation_input_token_cost: 2.5e-6,
        cache_creation_input_token_cost_above_1hr: 4e-6,
        ...longInput,
        cache_creation_input_token_cost_above_1hr_above_272k_tokens: 8e-6,
      },
      [
        { input: 2, cache_write: 2.5, cache_write_1h: 4, output: 8 },
        [272_000, { input: 4, cache_write: 4, cache_write_1h: 8, output: 8 }],
      ],
    ],
    [
      'costs at least as much as a more general kind if it does so below',
      {
        output_cost_per_reasoning_token: 8e-6,
        input_cost_per_audio_token: 3e-6,
        ...longInput,
        output_cost_per_token_above_272k_tokens: 1.2e-5,
      },
      [
        { input: 2, input_audio: 3, output: 8, output_reasoning: 8 },
        [272_000, { input: 4, input_audio: 4, output: 12, output_reasoning: 12 }],
      ],
    ],
    [
      'keeps the price above a lower threshold',
      {
        input_cost_per_token_above_128k_tokens: 3e-6,
        ...longInput,
        output_cost_per_token_above_128k_tokens: 1.2e-5,
      },
      [{ input: 2, output: 8 }, [128_000, { input: 3, output: 12 }], [272_000, { input: 4, output: 12 }]],
    ],
    [
      'costs what a more general kind does if it has a price above another threshold only',
      { ...longInput, cache_creation_input_token_cost_above_272k_tokens: 5e-7 },
      [{ input: 2, cache_write: 2, output: 8 }, [272_000, { input: 4, cache_write: 4, output: 8 }]],
    ],
  ])('%s', (_, fields, expected) => {
    expect(pricesOf(fields)).toEqual(expected);
  });

  it('costs for an hour at least what input does in a row without a price of other cache writes', () => {
    expect(pricesOf({ cache_creation_input_token_cost_above_1hr: 1e-6 })).toEqual([
      { input: 2, cache_write_1h: 2, output: 8 },
    ]);
  });
});

const anyPrice = fc.integer({ min: 1, max: 1000 }).map((cents) => Number((cents / 1e8).toFixed(8)));
const tiers = ['', '_flex', '_priority', '_ultrafast'];
const thresholds = ['', '_above_128k_tokens', '_above_200k_tokens', '_above_272k_tokens'];

/** The fields that LiteLLM reads: not every kind has tiers and thresholds. */
const optionalFields = [
  ...['input_cost_per_token', 'output_cost_per_token', 'cache_creation_input_token_cost'].flatMap((field) =>
    thresholds.flatMap((threshold) => tiers.map((tier) => `${field}${threshold}${tier}`)),
  ),
  ...thresholds.flatMap((threshold) => tiers.map((tier) => `cache_read_input_token_cost${threshold}${tier}`)),
  'cache_creation_input_token_cost_above_1hr',
  ...thresholds
    .slice(1)
    .flatMap((threshold) =>
      tiers.map((tier) => `cache_creation_input_token_cost_above_1hr${threshold}${tier}`),
    ),
  ...tiers.map((tier) => `output_cost_per_reasoning_token${tier}`),
  ...tiers.map((tier) => `input_cost_per_audio_token${tier}`),
  'input_cost_per_image_token',
  'output_cost_per_audio_token',
  'output_cost_per_image_token',
];

const anyRow = fc
  .tuple(
    fc.constantFrom('openai', 'xai'),
    fc.record(Object.fromEntries(optionalFields.map((field) => [field, anyPrice])), { requiredKeys: [] }),
    anyPrice,
    anyPrice,
  )
  .map(
    ([litellm_provider, fields, input, output]): Row => ({
      litellm_provider,
      ...fields,
      input_cost_per_token: input,
      output_cost_per_token: output,
    }),
  );

const anyLength = fc.oneof(
  fc.constantFrom(0, 127_999, 128_000, 128_001, 199_999, 200_000, 200_001, 272_000, 272_001),
  fc.nat(1_000_000),
);

describe('Any row of LiteLLM', () => {
  it('is never charged less than LiteLLM charges, nor less for an hour than for other cache writes', () => {
    fc.assert(
      fc.property(anyRow, anyLength, (anyRow, contextTokens) => {
        for (const { tier, price } of tierPricesOf('a', anyRow)) {
          const custom = { from: '2026-01-01T00:00:00.000Z', tier, price };
          const [findRates] = rateFinders(
            { settings: {}, findCustomPrices: () => ({ organization: [custom], all: [] }) },
            priceTable,
          );
          const rates = findRates?.({
            provider: 'my-llm',
            model: 'a',
            at: new Date('2026-06-01'),
            contextTokens,
            context: { serviceTier: tier, speed: null, inferenceGeo: null, region: null },
          })?.rates.usdPerMillion;
          const min = liteLlmRates(anyRow, tier, contextTokens);
          for (const kind of tokenKinds) {
            expect(rates?.[kind], `${kind} in ${tier}`).toBeGreaterThanOrEqual(min[kind]);
          }
          expect(rates?.cacheWrite1hInput).toBeGreaterThanOrEqual(rates?.cacheWriteInput ?? Number.NaN);
        }
      }),
    );
  });
});
