import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ModelList,
  ModelPrice,
  ModelRate,
  ProviderList,
} from '#lambdas/accounts/analytics/responses.ts';
import { createModelsEndpoint } from '#lambdas/inference/models/endpoint.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { type NewPrice, setCustomPrices } from '#lambdas/pricing/custom/change.ts';
import { createPricing, type Pricing } from '#lambdas/pricing/pricing.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { chargeTypes } from '#lambdas/reports/logs/cost-breakdown.ts';
import { type AnalyticsFixture, startAnalyticsFixture } from '#test/support/accounts/analytics-fixture.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';

const settings: ProviderSettingsByName = {
  openai: { baseUrl: 'https://eu.api.openai.com/v1' },
  mistral: { priceFactor: 1.17 },
  bedrock: { region: 'eu-west-1' },
  azure: { baseUrl: 'https://r.openai.azure.com/openai/v1', models: ['gpt-4o', 'our-deployment'] },
  vllm: { baseUrl: 'http://llm.internal/v1', models: ['llama'], prices: { input: 0.3, output: 0.9 } },
};
const credentials = {
  find: async () => null,
  providerNames: async () => ['openai', 'anthropic', 'google', 'azure', 'ollama'],
};
const startedAt = '2026-11-01T00:00:00.000Z';
const from = new Date(startedAt);

let fixture: AnalyticsFixture;
beforeAll(async () => {
  fixture = await startAnalyticsFixture();
  fixture.dependencies.providers = { ...fixture.dependencies.providers, settings, credentials };
  const { organizationId } = fixture.caller;
  await setPrices('openai/gpt-4o', null, { tier: null, price: flat(2), from });
  await setPrices('openai/gpt-4o', organizationId, { tier: null, price: flat(1), from });
  await setPrices('openai/gpt-4.1', null, { tier: 'fast', price: flat(7), from });
  await setPrices('openai/gpt-4.1', null, { tier: 'own', price: flat(8), from });
  await setPrices('openai/gpt-4.1', 'org_other', { tier: null, price: flat(9), from });
  await setPrices('anthropic/claude-haiku-4-5', null, { tier: null, price: flat(3), from });
  await setPrices('anthropic/claude-haiku-4-5', null, {
    tier: null,
    price: null,
    from: new Date(from.getTime() + 1),
  });
  await setPrices('vllm/llama', organizationId, { tier: null, price: byLength, from });
});
afterAll(() => fixture.stop());

const flat = (input: number) => ({ prices: { input, output: 5, cache_read: 0.25 }, above: [] });
const byLength: NewPrice['price'] = {
  prices: { input: 1, output: 2, output_reasoning: 3 },
  above: [
    [1000, { input: 10, output: 20 }],
    [5000, { input: 100.000001, output: 200, cache_read: 0.5 }],
  ],
};

async function setPrices(model: string, organizationId: string | null, price: NewPrice): Promise<void> {
  const { customPrices } = fixture.dependencies.providers;
  await setCustomPrices({ ...customPrices, now: () => from }, { model, organizationId }, [price]);
}

async function get<Body>(path: string): Promise<Body> {
  const { status, body } = await fixture.get(path);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as Body;
}

async function pricesOf(id: string): Promise<ModelPrice[] | undefined> {
  const { data } = await get<ModelList>('/models');
  return data.find((model) => model.id === id)?.prices;
}

const perMillion = (type: string, usd: string) => ({ type, usd, per: 1_000_000, assumed: false });

describe('Providers', () => {
  it('are set up with an address and, if they need one, a credential', async () => {
    const { data } = await get<ProviderList>('/providers');

    expect(data.map(({ name }) => name)).toEqual(data.map(({ name }) => name).sort());
    expect(data.filter(({ set_up }) => set_up).map(({ name }) => name)).toEqual([
      ...['anthropic', 'azure', 'bedrock', 'google', 'openai', 'vllm'],
    ]);
    expect(data).toContainEqual({ name: 'groq', set_up: false, has_credential: false });
    expect(data).toContainEqual({ name: 'ollama', set_up: false, has_credential: true });
  });
});

describe('Models', () => {
  it('have the versions of their prices for the organization, those that begin last first', async () => {
    const { data } = await get<ModelList>('/models');
    const versionsOf = (id: string) =>
      data
        .find((model) => model.id === id)
        ?.versions.map(({ source, from: start, input_usd, output_usd }) => [
          source,
          start,
          input_usd,
          output_usd,
        ]);
    const [start, end] = [from, new Date(from.getTime() + 1)].map((time) => time.toISOString());

    expect(versionsOf('openai/gpt-4o')).toEqual([
      ['organization', start, '1', '5'],
      ['all_organizations', start, '2', '5'],
    ]);
    expect(versionsOf('anthropic/claude-haiku-4-5')?.slice(0, 2)).toEqual([
      ['all_organizations', end, null, null],
      ['all_organizations', start, '3', '5'],
    ]);
    // A price for another organization is none of this one.
    expect(versionsOf('openai/gpt-4.1')?.map(([, , input]) => input)).toEqual(['7', '8']);
  });

  it('of providers that are set up are those of GET /ai/models, and others are known too', async () => {
    const { data } = await get<ModelList>('/models');

    const { region } = fixture.dependencies.providers;
    const now = () => fixture.dependencies.now();
    const routes = { list: async () => [] };
    const endpoint = createModelsEndpoint({ settings, credentials, region, routes, now });
    const listed = (await endpoint({ apiKey: requestKey(), headers: {}, query: {}, pathId: '' })) as {
      data: { id: string }[];
    };
    expect(data.filter(({ set_up }) => set_up).map(({ id }) => id)).toEqual(listed.data.map(({ id }) => id));
    expect(
      data.filter(({ provider }) => provider === 'deepseek').map(({ id, set_up }) => [id, set_up]),
    ).toEqual([
      ['deepseek/deepseek-flash', false],
      ['deepseek/deepseek-v4-flash', false],
      ['deepseek/deepseek-v4-pro', false],
    ]);
    expect(data.find(({ id }) => id === 'azure/our-deployment')?.prices).toEqual([]);
    expect(
      ['openai/gpt-6-sol', 'openai/text-embedding-3-small'].map(
        (model) => data.find(({ id }) => id === model)?.operations,
      ),
    ).toEqual([['chat.completions', 'messages', 'responses'], ['embeddings']]);
  });

  it('have the custom price of the organization before that for all, and that before the others', async () => {
    const custom = { version: null, since: startedAt, assumed: false, above: [] };
    const rates = (input: string) => [
      perMillion('uncached_text_input_tokens', input),
      perMillion('cached_text_input_tokens', '0.25'),
      perMillion('text_output_tokens', '5'),
      // Only the table has prices of units.
      { type: 'web_searches', usd: '25', per: 1000, assumed: true },
      { type: 'file_searches', usd: '2.5', per: 1000, assumed: false },
    ];
    const [own] = (await pricesOf('openai/gpt-4o')) ?? [];
    expect(own).toEqual({ ...custom, tier: null, source: 'organization', rates: rates('1') });

    const tiers = (await pricesOf('openai/gpt-4.1')) ?? [];
    expect(tiers.map(({ tier, source }) => [tier, source])).toEqual([
      [null, 'table'],
      // The table's name of the tier that the operator calls fast.
      ['priority', 'all_organizations'],
      ['own', 'all_organizations'],
    ]);
    expect(tiers[1]?.rates[0]).toEqual(perMillion('uncached_text_input_tokens', '7'));

    const [ended] = (await pricesOf('anthropic/claude-haiku-4-5')) ?? [];
    expect(ended).toMatchObject({
      source: 'table',
      since: null,
      version: expect.stringContaining('genai-prices'),
    });
  });

  it('have the prices of the settings and of longer requests, without those that follow from others', async () => {
    expect(await pricesOf('vllm/llama')).toEqual([
      {
        tier: null,
        source: 'organization',
        version: null,
        since: startedAt,
        assumed: false,
        rates: [
          perMillion('uncached_text_input_tokens', '1'),
          perMillion('text_output_tokens', '2'),
          perMillion('reasoning_tokens', '3'),
        ],
        above: [
          {
            input_tokens: 1000,
            rates: [
              perMillion('uncached_text_input_tokens', '10'),
              perMillion('text_output_tokens', '20'),
              perMillion('reasoning_tokens', '3'),
            ],
          },
          {
            input_tokens: 5000,
            rates: [
              perMillion('uncached_text_input_tokens', '100.000001'),
              perMillion('text_output_tokens', '200'),
              perMillion('reasoning_tokens', '3'),
            ],
          },
        ],
      },
    ]);
  });

  it('show since when a price of the table applies', async () => {
    const [standard] = (await pricesOf('anthropic/claude-sonnet-5-5')) ?? [];

    expect(standard?.since).toBe('2026-10-07T00:00:00.000Z');
  });

  it('cost what requests are billed with, in every tier and length, to the last digit', async () => {
    const { data } = await get<ModelList>('/models');
    const { customPrices } = fixture.dependencies.providers;
    const calls = createSdkTableCalls(customPrices.client);
    const pricing = createPricing({ ...customPrices, calls, now: fixture.dependencies.now });
    // OpenRouter has 500 models, with prices of one form.
    const sample = data.filter(({ provider }, index) => provider !== 'openrouter' || index % 25 === 0);
    let compared = 0;
    for (const { id, prices } of sample) {
      for (const price of prices) {
        for (const { inputTokens, rates } of lengthsOf(price)) {
          const usage = usageOf(rates, inputTokens);
          const billed = await bill(pricing, id, price.tier, usage);
          expect([id, price.tier, inputTokens, billed.cost_usd]).toEqual([
            ...[id, price.tier, inputTokens],
            costOf(rates, usage),
          ]);
          const tokens = await bill(pricing, id, price.tier, { ...usage, ...noUnits });
          expect([tokens.pricing, tokens.pricing_version]).toEqual([pricingOf(price), versionOf(price)]);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(400);
  });
});

function lengthsOf({ rates, above }: ModelPrice): { inputTokens: number; rates: ModelRate[] }[] {
  return [
    { inputTokens: 0, rates },
    ...above.map((tier) => ({ inputTokens: tier.input_tokens, rates: tier.rates })),
  ];
}

const noUnits = { webSearches: 0, pageVisits: 0, fileSearches: 0, audioInputSeconds: 0 };

/** Uses all that has a rate. Has a few more input tokens than the bound. */
function usageOf(rates: readonly ModelRate[], inputTokens: number): TokenUsage {
  const count = (type: string, value: number) => (rates.some((rate) => rate.type === type) ? value : 0);
  const [audio, image] = [count(chargeTypes.audioInput, 11), count(chargeTypes.imageInput, 13)];
  const cachedAudio = count(chargeTypes.cachedAudioInput, 17);
  const cachedImage = count(chargeTypes.cachedImageInput, 19);
  const [reasoning, audioOutput] = [
    count(chargeTypes.reasoningOutput, 23),
    count(chargeTypes.audioOutput, 29),
  ];
  return {
    ...noUsage,
    freshInputTokens: inputTokens + 31 + audio + image,
    cachedInputTokens: count(chargeTypes.cachedTextInput, 37) + cachedAudio + cachedImage,
    cacheWriteInputTokens: count(chargeTypes.cacheWriteInput, 41),
    cacheWrite1hInputTokens: count(chargeTypes.cacheWrite1hInput, 43),
    outputTokens: count(chargeTypes.textOutput, 47) + reasoning + audioOutput,
    reasoningTokens: reasoning,
    audioInputTokens: audio + cachedAudio,
    cachedAudioInputTokens: cachedAudio,
    imageInputTokens: image + cachedImage,
    cachedImageInputTokens: cachedImage,
    audioOutputTokens: audioOutput,
    webSearches: count(chargeTypes.webSearches, 3) || count(chargeTypes.groundedRequests, 3),
    pageVisits: count(chargeTypes.pageVisits, 2),
    fileSearches: count(chargeTypes.fileSearches, 4),
    audioInputSeconds: count(chargeTypes.audioInputSeconds, 90),
  };
}

/** Adds count × price with whole numbers, and rounds once, half up, to twelve decimals. */
function costOf(rates: readonly ModelRate[], usage: TokenUsage): string {
  const { audioInputTokens, cachedAudioInputTokens, imageInputTokens, cachedImageInputTokens } = usage;
  const [audio, image] = [
    audioInputTokens - cachedAudioInputTokens,
    imageInputTokens - cachedImageInputTokens,
  ];
  const counts: Record<string, number | undefined> = {
    uncached_text_input_tokens: usage.freshInputTokens - audio - image,
    uncached_audio_input_tokens: audio,
    uncached_image_input_tokens: image,
    cached_text_input_tokens: usage.cachedInputTokens - cachedAudioInputTokens - cachedImageInputTokens,
    cached_audio_input_tokens: cachedAudioInputTokens,
    cached_image_input_tokens: cachedImageInputTokens,
    cache_write_5m_input_tokens: usage.cacheWriteInputTokens,
    cache_write_1h_input_tokens: usage.cacheWrite1hInputTokens,
    text_output_tokens: usage.outputTokens - usage.reasoningTokens - usage.audioOutputTokens,
    reasoning_tokens: usage.reasoningTokens,
    audio_output_tokens: usage.audioOutputTokens,
    image_output_tokens: 0,
    requests: 1,
    grounded_requests: 1,
    web_searches: usage.webSearches,
    page_visits: usage.pageVisits,
    file_searches: usage.fileSearches,
    audio_input_seconds: usage.audioInputSeconds,
  };
  let sum = 0n;
  for (const { type, usd, per } of rates) {
    const [whole = '', fraction = ''] = usd.split('.');
    const price = BigInt(whole + fraction.padEnd(12, '0'));
    sum += BigInt(counts[type] ?? Number.NaN) * price * BigInt(3_000_000 / per);
  }
  const units = ((2n * sum + 3_000_000n) / 6_000_000n).toString().padStart(13, '0');
  return `${units.slice(0, -12)}.${units.slice(-12)}`.replace(/\.?0+$/, '');
}

async function bill(pricing: Pricing, id: string, tier: string | null, usage: TokenUsage) {
  const { provider, model } = createProviderRegistry(settings, {
    ...exampleClientOptions,
    access: { ...exampleClientOptions.access, region: 'us-east-1' },
  }).resolve(id);
  const speed = provider.name === 'anthropic' && tier === 'fast' ? tier : null;
  const { name, host } = provider;
  const region = pricing.findRegion({ provider: name, model, host, region: provider.region });
  const { price } = await pricing.priceUsage(fixture.caller.organizationId, {
    provider: name,
    model,
    responseModel: null,
    context: { serviceTier: speed === null ? tier : 'standard', speed, inferenceGeo: null, region },
    parts: [{ model: null, usage }],
    gaps: [],
    reportedCostUsd: null,
    at: fixture.dependencies.now(),
    settings: provider.settings,
  });
  return price;
}

function pricingOf({ source, assumed }: ModelPrice): string {
  if (source !== 'table') return 'configuration';
  return assumed ? 'assumed' : 'table';
}

function versionOf({ source, since, version }: ModelPrice): string | null {
  if (source === 'organization') return `organization@${since}`;
  return source === 'all_organizations' ? `all@${since}` : (version ?? source);
}
