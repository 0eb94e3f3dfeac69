import { describe, expect, it } from 'vitest';
import { type CustomPrice, toPriceAttributes } from '#lambdas/pricing/custom/custom-price.ts';
import type { TokenPriceList } from '#lambdas/pricing/list-prices.ts';
import { type BilledParts, noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import {
  type CostBreakdown,
  type CostBreakdownDependencies,
  costBreakdownOf,
} from '#lambdas/reports/logs/cost-breakdown.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { emptyPriceTable } from '#test/support/prices.ts';

const id = createLogId(Date.UTC(2026, 10, 1, 12));
const organization = 'org_AAAAAAAAAAAAAAAA';

function breakdownOf(
  entry: LogEntry,
  { customPrices = emptyPriceTable, settings = {} }: Partial<CostBreakdownDependencies> = {},
) {
  return costBreakdownOf(entry, { customPrices, settings });
}

/** An entry without cached and reasoning tokens. */
const entryOf = (
  model: string,
  usage: Partial<TokenUsage>,
  { responseModel = model, ...fields }: Partial<LogEntry> & { responseModel?: string } = {},
) =>
  logEntry({
    id,
    model,
    response_model: responseModel,
    ...usageFields([{ model: null, usage: { ...noUsage, ...usage } }], responseModel),
    ...fields,
  });

type Row = [type: string, count: number, price: string, per: number, cost: string];

const rowsOf = (breakdown: CostBreakdown | null) =>
  breakdown?.map(({ charges }) =>
    charges.map(({ type, count, price_usd, per, cost_usd }): Row => [type, count, price_usd, per, cost_usd]),
  );

/** Prices of `openai/gpt-4o` by scope. */
const customPrices = (byScope: Record<string, CustomPrice[]>): CostBreakdownDependencies['customPrices'] => ({
  ...emptyPriceTable,
  calls: {
    async get(_table, { model, scope }) {
      const prices = model === 'openai/gpt-4o' ? byScope[String(scope)] : undefined;
      const has_organization_prices = organization in byScope;
      return prices === undefined ? null : { prices: toPriceAttributes(prices), has_organization_prices };
    },
  },
});
const customPrice = (from: string, prices: TokenPriceList, tier: string | null = null): CustomPrice => ({
  from,
  tier,
  price: { prices, above: [] },
});

describe('The breakdown of a cost', () => {
  it('lists count × price of each kind of token that was used', async () => {
    const entry = entryOf('gpt-4o', { freshInputTokens: 1000, outputTokens: 500 }, { cost_usd: '0.0075' });

    expect(await breakdownOf(entry)).toEqual([
      {
        model: 'gpt-4o',
        charges: [
          {
            type: 'uncached_text_input_tokens',
            count: 1000,
            price_usd: '2.5',
            per: 1_000_000,
            cost_usd: '0.0025',
          },
          { type: 'text_output_tokens', count: 500, price_usd: '10', per: 1_000_000, cost_usd: '0.005' },
        ],
        cost_usd: '0.0075',
      },
    ]);
  });

  it('names the model of the response', async () => {
    const usage = { freshInputTokens: 1000 };
    const snapshot = { responseModel: 'gpt-4o-2024-05-13', cost_usd: '0.005' };

    expect(await breakdownOf(entryOf('gpt-4o', usage, snapshot))).toMatchObject([
      { model: 'gpt-4o-2024-05-13', charges: [{ price_usd: '5' }] },
    ]);
  });

  it('counts each token once: cached, written to a cache, reasoning', async () => {
    const usage = {
      freshInputTokens: 1000,
      cachedInputTokens: 10_000,
      cacheWriteInputTokens: 2000,
      cacheWrite1hInputTokens: 400,
      outputTokens: 300,
      reasoningTokens: 200,
      webSearches: 2,
    };
    const entry = entryOf('claude-sonnet-4-5', usage, { provider: 'anthropic', cost_usd: '0.0404' });

    expect(rowsOf(await breakdownOf(entry))).toEqual([
      [
        ['uncached_text_input_tokens', 1000, '3', 1_000_000, '0.003'],
        ['cached_text_input_tokens', 10_000, '0.3', 1_000_000, '0.003'],
        ['cache_write_5m_input_tokens', 2000, '3.75', 1_000_000, '0.0075'],
        ['cache_write_1h_input_tokens', 400, '6', 1_000_000, '0.0024'],
        ['text_output_tokens', 100, '15', 1_000_000, '0.0015'],
        ['reasoning_tokens', 200, '15', 1_000_000, '0.003'],
        ['web_searches', 2, '10', 1000, '0.02'],
      ],
    ]);
  });

  it('has the prices of the tier and of the context of the longest round', async () => {
    const usage = { freshInputTokens: 400_000, outputTokens: 100, contextTokens: 300_000 };
    const flex = { service_tier: 'flex', cost_usd: '0.80075' };
    const short = { ...usage, contextTokens: 272_000 };

    expect(rowsOf(await breakdownOf(entryOf('gpt-6.1-sol', usage, flex)))).toEqual([
      [
        ['uncached_text_input_tokens', 400_000, '2', 1_000_000, '0.8'],
        ['text_output_tokens', 100, '7.5', 1_000_000, '0.00075'],
      ],
    ]);
    expect(rowsOf(await breakdownOf(entryOf('gpt-6.1-sol', short, { ...flex, cost_usd: '0.4005' })))).toEqual(
      [
        [
          ['uncached_text_input_tokens', 400_000, '1', 1_000_000, '0.4'],
          ['text_output_tokens', 100, '5', 1_000_000, '0.0005'],
        ],
      ],
    );
  });

  it('has prices that include the surcharge of a region and the factor of the settings', async () => {
    const settings = { openai: { priceFactor: 1.5 } };
    const usage = { freshInputTokens: 1000, outputTokens: 10 };
    const regional = entryOf('gpt-5.5', usage, { region: 'us', cost_usd: '0.008745' });

    expect(rowsOf(await breakdownOf(regional, { settings }))).toEqual([
      [
        ['uncached_text_input_tokens', 1000, '8.25', 1_000_000, '0.00825'],
        ['text_output_tokens', 10, '49.5', 1_000_000, '0.000495'],
      ],
    ]);
  });

  it('lists the parts that are billed at different models', async () => {
    const parts: BilledParts = [
      { model: null, usage: { ...noUsage, freshInputTokens: 1000, webSearches: 1 } },
      { model: 'claude-opus-4-5', usage: { ...noUsage, freshInputTokens: 1000, outputTokens: 10 } },
    ];
    const entry = logEntry({
      id,
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      response_model: 'claude-sonnet-4-5',
      ...usageFields(parts, 'claude-sonnet-4-5'),
      cost_usd: '0.01825',
    });
    const breakdown = await breakdownOf(entry);

    expect(breakdown?.map(({ model, cost_usd }) => [model, cost_usd])).toEqual([
      ['claude-sonnet-4-5', '0.013'],
      ['claude-opus-4-5', '0.00525'],
    ]);
    expect(rowsOf(breakdown)).toEqual([
      [
        ['uncached_text_input_tokens', 1000, '3', 1_000_000, '0.003'],
        ['web_searches', 1, '10', 1000, '0.01'],
      ],
      [
        ['uncached_text_input_tokens', 1000, '5', 1_000_000, '0.005'],
        ['text_output_tokens', 10, '25', 1_000_000, '0.00025'],
      ],
    ]);
  });

  it.each<[string, string, Partial<TokenUsage>, Partial<LogEntry>, Row]>([
    [
      'google',
      'gemini-2.5-flash',
      { webSearches: 3 },
      { cost_usd: '0.035', pricing: 'assumed' },
      ['grounded_requests', 1, '35', 1000, '0.035'],
    ],
    [
      'groq',
      'openai/gpt-oss-120b',
      { pageVisits: 3 },
      { cost_usd: '0.003', pricing: 'assumed' },
      ['page_visits', 3, '1', 1000, '0.003'],
    ],
    [
      'mistral',
      'voxtral-small-latest',
      { audioInputSeconds: 10 },
      { cost_usd: '0.000666666667', pricing: 'assumed' },
      ['audio_input_seconds', 10, '0.004', 60, '0.000666666667'],
    ],
    ['perplexity', 'sonar', {}, { cost_usd: '0.012' }, ['requests', 1, '12', 1000, '0.012']],
  ])('has the charges of %s that depend on no token', async (provider, model, usage, fields, row) => {
    expect(rowsOf(await breakdownOf(entryOf(model, usage, { provider, ...fields })))).toEqual([[row]]);
  });

  it('has the prices of the settings', async () => {
    const settings = { vllm: { prices: { input: 1, output: 2, cachedInput: 0.25 } } };
    const usage = { freshInputTokens: 100, cachedInputTokens: 20, outputTokens: 10 };
    const fields = { provider: 'vllm', pricing: 'configuration', cost_usd: '0.000125' } as const;
    const entry = entryOf('llama', usage, fields);

    expect(rowsOf(await breakdownOf(entry, { settings }))).toEqual([
      [
        ['uncached_text_input_tokens', 100, '1', 1_000_000, '0.0001'],
        ['cached_text_input_tokens', 20, '0.25', 1_000_000, '0.000005'],
        ['text_output_tokens', 10, '2', 1_000_000, '0.00002'],
      ],
    ]);
    expect(await breakdownOf(entry)).toBeNull();
  });

  it('has the custom prices of the organization, the tier and the time of the entry', async () => {
    const at = Date.parse('2026-11-01T00:00:00.000Z');
    const prices = customPrices({
      all: [customPrice('2026-01-01T00:00:00.000Z', { input: 7, output: 7 })],
      [organization]: [
        customPrice('2026-01-01T00:00:00.000Z', { input: 3, output: 9, cache_read: 1 }, 'flex'),
        customPrice('2026-11-01T00:00:00.000Z', { input: 4, output: 9 }),
      ],
    });
    const usage = { freshInputTokens: 1000, cachedInputTokens: 1000 };
    const rows = async (fields: Partial<LogEntry>) =>
      rowsOf(
        await breakdownOf(entryOf('gpt-4o', usage, { pricing: 'configuration', ...fields }), {
          customPrices: prices,
        }),
      );

    expect(await rows({ id: createLogId(at), cost_usd: '0.008' })).toEqual([
      [
        ['uncached_text_input_tokens', 1000, '4', 1_000_000, '0.004'],
        ['cached_text_input_tokens', 1000, '4', 1_000_000, '0.004'],
      ],
    ]);
    expect(await rows({ id: createLogId(at - 1), cost_usd: '0.014' })).toEqual([
      [
        ['uncached_text_input_tokens', 1000, '7', 1_000_000, '0.007'],
        ['cached_text_input_tokens', 1000, '7', 1_000_000, '0.007'],
      ],
    ]);
    expect(await rows({ id: createLogId(at - 1), service_tier: 'flex', cost_usd: '0.004' })).toEqual([
      [
        ['uncached_text_input_tokens', 1000, '3', 1_000_000, '0.003'],
        ['cached_text_input_tokens', 1000, '1', 1_000_000, '0.001'],
      ],
    ]);
  });

  it('rounds charges up or down so that they add up, if a price has more than six decimals', async () => {
    const settings = { openai: { prices: { input: 0.0000004, output: 0.0000007 } } };
    const usage = { freshInputTokens: 1, cachedInputTokens: 1, outputTokens: 1 };
    const entry = entryOf('gpt-4o', usage, { pricing: 'configuration', cost_usd: '0.000000000002' });

    expect(rowsOf(await breakdownOf(entry, { settings }))).toEqual([
      [
        ['uncached_text_input_tokens', 1, '0.0000004', 1_000_000, '0'],
        ['cached_text_input_tokens', 1, '0.0000004', 1_000_000, '0.000000000001'],
        ['text_output_tokens', 1, '0.0000007', 1_000_000, '0.000000000001'],
      ],
    ]);
  });

  it('has the prices of its time after a price changed', async () => {
    const usage = { cachedInputTokens: 1000 };
    const sonnet = (day: number, cost_usd: string) =>
      entryOf('claude-sonnet-5-5', usage, {
        id: createLogId(Date.UTC(2026, 9, day)),
        provider: 'anthropic',
        cost_usd,
      });

    expect(rowsOf(await breakdownOf(sonnet(6, '0.0002')))).toEqual([
      [['cached_text_input_tokens', 1000, '0.2', 1_000_000, '0.0002']],
    ]);
    expect(rowsOf(await breakdownOf(sonnet(7, '0.0001')))).toEqual([
      [['cached_text_input_tokens', 1000, '0.1', 1_000_000, '0.0001']],
    ]);
    expect(await breakdownOf(sonnet(7, '0.0002'))).toBeNull();
  });

  it('has a part without charges when nothing was used', async () => {
    expect(await breakdownOf(entryOf('gpt-4o', {}, { cost_usd: '0' }))).toEqual([
      { model: 'gpt-4o', charges: [], cost_usd: '0' },
    ]);
  });

  it.each<[string, Partial<LogEntry>]>([
    ['the provider stated the cost', { pricing: 'provider' }],
    ['the price was unknown', { pricing: 'unknown', cost_usd: '0' }],
    ['a count could not be read', { pricing: 'unknown', cost_usd: '0', usage_source: 'incomplete' }],
    ['there is no usage', { input_tokens: null, output_tokens: null, pricing: null, cost_usd: '0' }],
    ['no provider was called', { provider: null, model: null }],
    ['the cost differs in its last digit', { cost_usd: '0.004720000001' }],
    ['the price had another source', { pricing: 'assumed' }],
    ['the model has no price any more', { model: 'unheard-of', response_model: null }],
  ])('is null when %s', async (_case, fields) => {
    expect(await breakdownOf(logEntry({ id }))).not.toBeNull();
    expect(await breakdownOf(logEntry({ id, ...fields }))).toBeNull();
  });

  it('rejects when the custom prices cannot be read', async () => {
    const unavailable = {
      ...emptyPriceTable,
      calls: { get: () => Promise.reject(new Error('table is unavailable')) },
    };

    await expect(breakdownOf(logEntry({ id }), { customPrices: unavailable })).rejects.toThrow('unavailable');
  });
});
