import { afterEach, describe, expect, it, vi } from 'vitest';
import { noFacts, type ResponseFacts } from '#lambdas/inference/completion/facts.ts';
import { billOf } from '#lambdas/inference/exchange/bill.ts';
import { shortenFacts, toLogEntry } from '#lambdas/inference/exchange/log-entry.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { CustomPriceDependencies } from '#lambdas/pricing/custom/lookup.ts';
import { createPricing, type Pricing } from '#lambdas/pricing/pricing.ts';
import { type TokenKind, tokenKinds } from '#lambdas/pricing/rates.ts';
import type { PriceTable } from '#lambdas/pricing/table/price-table.ts';
import { type BilledParts, noUsage, unknownModel } from '#lambdas/pricing/usage.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { exampleExchange, exampleReceivedAtMs } from '#test/support/chat/example-exchange.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

/** Every kind of token costs $1 per million; the model `dear` $3, and the model `unknown` has no price. */
const table: PriceTable = {
  version: 'list 1',
  findRates: ({ model }) => {
    if (model === 'unknown' || model === unknownModel) return null;
    const usd = model === 'dear' ? 3 : 1;
    const usdPerMillion = Object.fromEntries(tokenKinds.map((kind) => [kind, usd]));
    return {
      usdPerMillion: usdPerMillion as Record<TokenKind, number>,
      usdPerThousandRequests: 0,
      units: { webSearches: { usd: 10, per: 1_000 } },
      isAssumed: false,
      assumedKinds: [],
    };
  },
  findRegion: ({ host, model }) => `${host} ${model}`,
};

/** Returns the log entry of a response of the model `m`. */
async function entryOf(
  facts: Partial<ResponseFacts>,
  { model = 'm', loadPricing = async () => createPricing(emptyPriceTable, table) } = {},
) {
  const { provider } = createProviderRegistry({}, exampleClientOptions).resolve(`openai/${model}`);
  const exchange = { ...exampleExchange(), provider, model, facts: shortenFacts({ ...noFacts, ...facts }) };
  const bill = await billOf(exchange, loadPricing);
  return toLogEntry(exchange, {
    endedAtMs: exampleReceivedAtMs + 1,
    status: 200,
    clientDisconnected: false,
    bill,
  });
}

const usage = { ...noUsage, freshInputTokens: 100, outputTokens: 10 };

function billAt(
  receivedAtMs: number,
  loadPricing: () => Promise<Pricing>,
  billedParts: BilledParts | null = null,
) {
  const { provider } = createProviderRegistry({}, exampleClientOptions).resolve('openai/m');
  const facts = { ...noFacts, usage, billedParts };
  return billOf({ ...exampleExchange(), provider, model: 'm', receivedAtMs, facts }, loadPricing);
}

const manyParts = (count: number, nameOf = (index: number) => `model-${index}`) =>
  Array.from({ length: count }, (_, index) => ({ model: nameOf(index), usage })) as unknown as BilledParts;

afterEach(() => {
  vi.restoreAllMocks();
});

describe('Log entry of a billed response', () => {
  it('contains the price, the context and no parts when all usage has one price', async () => {
    const facts = { usage, serviceTier: 'flex', speed: 'fast', inferenceGeo: 'us' };
    expect(await entryOf(facts)).toMatchObject({
      input_tokens: 100,
      output_tokens: 10,
      total_tokens: 110,
      service_tier: 'flex',
      speed: 'fast',
      inference_geo: 'us',
      region: 'api.openai.com m',
      cost_usd: '0.00011',
      pricing: 'table',
      pricing_version: 'list 1',
      pricing_gaps: null,
      billed_parts: null,
      usage_source: 'provider',
    });
  });

  it('contains the sums and the parts of several models', async () => {
    const billedParts: BilledParts = [
      { model: null, usage },
      { model: 'dear', usage: { ...noUsage, freshInputTokens: 50, cachedInputTokens: 20, outputTokens: 5 } },
      { model: null, usage: { ...usage, webSearches: 1 } },
    ];
    const sum = {
      ...noUsage,
      freshInputTokens: 250,
      cachedInputTokens: 20,
      outputTokens: 25,
      webSearches: 1,
    };
    const facts = {
      responseModel: 'm-2026-01-01',
      usage: sum,
      billedParts,
      pricingGaps: ['code_execution'],
    } as const;
    expect(await entryOf(facts)).toMatchObject({
      model: 'm',
      response_model: 'm-2026-01-01',
      input_tokens: 270,
      cached_input_tokens: 20,
      output_tokens: 25,
      total_tokens: 295,
      web_searches: 1,
      // 220 × $1 + 75 × $3 per million, and one search for $0.01.
      cost_usd: '0.010445',
      pricing: 'table',
      pricing_gaps: ['code_execution'],
      billed_parts: [
        { model: 'm-2026-01-01', input_tokens: 200, output_tokens: 20, web_searches: 1 },
        { model: 'dear', input_tokens: 70, output_tokens: 5, cached_input_tokens: 20 },
      ],
    });
  });

  it('has the cost that the provider states, and its parts', async () => {
    const billedParts: BilledParts = [
      { model: null, usage },
      { model: 'unknown', usage },
    ];
    expect(await entryOf({ usage, billedParts, reportedCostUsd: '0.25' })).toMatchObject({
      cost_usd: '0.25',
      pricing: 'provider',
      billed_parts: [{ model: 'm' }, { model: 'unknown' }],
    });
  });

  it.each<[string, string, Partial<ResponseFacts>]>([
    ['the usage', '0.00011', { usage: { ...usage, missing: ['cached_input_tokens'] } }],
    [
      'one of its parts',
      '0.00044',
      {
        usage: { ...usage, missing: ['cached_input_tokens'] },
        billedParts: [
          { model: null, usage },
          { model: 'dear', usage: { ...usage, missing: ['cached_input_tokens'] } },
        ],
      },
    ],
  ])('has an assumed price when %s is incomplete', async (_, cost_usd, facts) => {
    expect(await entryOf(facts)).toMatchObject({
      cost_usd,
      pricing: 'assumed',
      usage_source: 'incomplete',
      missing_usage: ['cached_input_tokens'],
    });
  });

  it('has an unknown price when a part has none', async () => {
    const billedParts: BilledParts = [
      { model: null, usage },
      { model: 'unknown', usage },
    ];
    expect(await entryOf({ usage, billedParts })).toMatchObject({
      cost_usd: '0',
      pricing: 'unknown',
      usage_source: 'provider',
      billed_parts: [{ model: 'm' }, { model: 'unknown' }],
    });
  });

  it('adds up ten thousand rounds at the same prices', async () => {
    const billedParts = manyParts(10_000, (index) => (index % 2 === 0 ? 'm' : 'dear'));
    expect(await entryOf({ usage, billedParts })).toMatchObject({
      input_tokens: 1_000_000,
      // 550,000 × $1 + 550,000 × $3 per million.
      cost_usd: '2.2',
      pricing: 'table',
      billed_parts: [
        { model: 'm', input_tokens: 500_000, output_tokens: 50_000 },
        { model: 'dear', input_tokens: 500_000, output_tokens: 50_000 },
      ],
    });
  });

  it('has a single part of unknown price instead of ten thousand different ones', async () => {
    expect(await entryOf({ usage, billedParts: manyParts(10_000) })).toMatchObject({
      input_tokens: 1_000_000,
      output_tokens: 100_000,
      cost_usd: '0',
      pricing: 'unknown',
      billed_parts: [{ model: unknownModel, input_tokens: 1_000_000, output_tokens: 100_000 }],
      usage_source: 'provider',
    });
  });

  it.each([
    [16, { billed_parts: { length: 16 } }],
    [17, { billed_parts: [{ model: unknownModel }] }],
  ])(
    'lists %i parts if there are at most 16, and otherwise one without a model, when the prices cannot be loaded',
    async (count, expected) => {
      const logged = recordLogLines();
      const loadPricing = () => Promise.reject(new Error('unreadable'));

      const entry = await entryOf(
        { usage, billedParts: manyParts(count), serviceTier: 'flex' },
        { loadPricing },
      );

      expect(entry).toMatchObject({
        cost_usd: '0',
        pricing: 'unknown',
        pricing_version: null,
        service_tier: 'flex',
        region: null,
        ...expected,
      });
      expect(logged).toMatchObject([{ event: 'unexpected_error', error: 'Error' }]);
    },
  );

  it('has names of tiers and places with at most 32 characters in one line', async () => {
    const name = `${'t'.repeat(20)}\n${'t'.repeat(80)}`;
    const short = `${'t'.repeat(20)}\ufffd${'t'.repeat(11)}`;

    expect(await entryOf({ usage, serviceTier: name, speed: name, inferenceGeo: name })).toMatchObject({
      service_tier: short,
      speed: short,
      inference_geo: short,
    });
  });

  it('has the prices of the truncated names of models, by which it is priced again', async () => {
    const findRates = vi.spyOn(table, 'findRates');
    const billedParts: BilledParts = [
      { model: null, usage },
      { model: `dear${'r'.repeat(200)}`, usage: { ...usage, webSearches: 1 } },
    ];

    const entry = await entryOf({ usage, billedParts, responseModel: 'm'.repeat(200) });

    const names = ['m'.repeat(128), `dear${'r'.repeat(124)}`];
    expect(entry.billed_parts?.map(({ model }) => model)).toEqual(names);
    expect(new Set(findRates.mock.calls.map(([request]) => request.model))).toEqual(new Set(names));
  });

  it('has a tier but no price for a response without usage', async () => {
    expect(await entryOf({ serviceTier: 'priority' })).toMatchObject({
      service_tier: 'priority',
      region: null,
      input_tokens: null,
      cost_usd: '0',
      pricing: null,
      usage_source: 'missing',
    });
  });
});

describe('A thousand tokens of audio', () => {
  const usages = {
    input: { ...noUsage, freshInputTokens: 1000, audioInputTokens: 1000 },
    output: { ...noUsage, outputTokens: 1000, audioOutputTokens: 1000 },
  };
  const loadPricing = async () => createPricing(emptyPriceTable);

  it.each([
    ['gpt-4o-audio-preview', 'input', '0.04', 'table'],
    ['gpt-4o-audio-preview', 'output', '0.08', 'table'],
    ['gpt-4o', 'input', '0.0025', 'assumed'],
    ['gpt-4o', 'output', '0.01', 'assumed'],
  ] as const)('of %s as %s cost %s USD (%s)', async (model, direction, cost_usd, pricing) => {
    const entry = await entryOf({ usage: usages[direction] }, { model, loadPricing });
    expect(entry).toMatchObject({ cost_usd, pricing });
  });
});

describe('Custom prices of a request', () => {
  const organizationId = exampleExchange().apiKey.organization_id;
  const items: Record<string, Item> = {
    'openai/m all': { has_organization_prices: true },
    [`openai/m ${organizationId}`]: {
      prices: [{ from: '2026-01-31T09:30:00.000Z', prices: { input: 5, output: '0.5' } }],
    },
  };
  const customPriceTable = (get: CustomPriceDependencies['calls']['get']) =>
    createPricing({ ...emptyPriceTable, calls: { get } }, table);

  it("are those of the caller's organization at the time of the request", async () => {
    const pricing = customPriceTable(async (_, { model, scope }) => items[`${model} ${scope}`] ?? null);

    expect(await entryOf({ usage }, { loadPricing: async () => pricing })).toMatchObject({
      cost_usd: '0.000505',
      pricing: 'configuration',
      pricing_version: 'organization@2026-01-31T09:30:00.000Z',
    });
  });

  it('make the cost unknown when they cannot be read, so that a reprice corrects it', async () => {
    const logged = recordLogLines();
    const pricing = customPriceTable(async () => {
      throw new Error('throttled');
    });

    expect(await entryOf({ usage }, { loadPricing: async () => pricing })).toMatchObject({
      input_tokens: 100,
      cost_usd: '0',
      pricing: 'unknown',
      pricing_version: null,
    });
    expect(logged).toMatchObject([{ event: 'unexpected_error', error: 'Error' }]);
  });

  it('are those of the request when they cannot be read again a minute later', async () => {
    let nowMs = exampleReceivedAtMs;
    let isReadable = true;
    const get: CustomPriceDependencies['calls']['get'] = async (_, { model, scope }) => {
      if (!isReadable) throw new Error('throttled');
      return items[`${model} ${scope}`] ?? null;
    };
    const reads = { ...emptyPriceTable, calls: { get }, now: () => new Date(nowMs) };
    const pricing = createPricing(reads, table);
    const loadPricing = async () => pricing;
    await entryOf({ usage, billedParts: [{ model: 'unknown', usage }] }, { loadPricing });
    isReadable = false;
    nowMs += 70_000;

    expect(await billAt(exampleReceivedAtMs + 59_999, loadPricing)).toMatchObject({
      price: { cost_usd: '0.000505', pricing: 'configuration' },
      isPriceUnread: false,
    });
    // They may have changed before this request was received.
    expect(await billAt(exampleReceivedAtMs + 60_000, loadPricing)).toMatchObject({
      price: { cost_usd: '0.000505', pricing: 'assumed' },
      isPriceUnread: true,
    });
    const unpriced: BilledParts = [{ model: 'unknown', usage }];
    expect(await billAt(exampleReceivedAtMs + 60_000, loadPricing, unpriced)).toMatchObject({
      price: { cost_usd: '0', pricing: 'unknown' },
      isPriceUnread: true,
    });
  });

  it('are not read for a cost that the response states', async () => {
    const pricing = customPriceTable(async () => {
      throw new Error('throttled');
    });

    expect(
      await entryOf({ usage, reportedCostUsd: '0.5' }, { loadPricing: async () => pricing }),
    ).toMatchObject({ cost_usd: '0.5', pricing: 'provider', pricing_version: null });
  });
});

describe('Region of a request', () => {
  it.each([
    ['openai/gpt-5.5', {}, null],
    ['bedrock/anthropic.claude-haiku-4-5-20251001-v1:0', {}, 'us-east-1'],
    ['bedrock/anthropic.claude-haiku-4-5-20251001-v1:0', { bedrock: { region: 'eu-west-1' } }, 'eu-west-1'],
    [
      'bedrock/global.anthropic.claude-haiku-4-5-20251001-v1:0',
      { bedrock: { region: 'eu-west-1' } },
      'global',
    ],
    ['bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0', {}, 'us'],
  ])('of %s with the settings %j is %j', async (requested, settings, region) => {
    const resolved = createProviderRegistry(settings, exampleClientOptions).resolve(requested);
    const facts = { ...noFacts, usage };
    const exchange = { ...exampleExchange(), ...resolved, facts };

    const { context } = await billOf(exchange, async () => createPricing(emptyPriceTable));

    expect(context.region).toBe(region);
  });
});
