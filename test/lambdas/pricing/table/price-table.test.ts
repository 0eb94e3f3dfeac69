import { readFileSync } from 'node:fs';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { usdFromNumber } from '#lambdas/platform/money.ts';
import type { PriceContext } from '#lambdas/pricing/price-context.ts';
import { calculateCost } from '#lambdas/pricing/rates.ts';
import { priceDataVersion } from '#lambdas/pricing/table/price-data.ts';
import { entryAt, memoize, priceTable } from '#lambdas/pricing/table/price-table.ts';
import { modelNamesInTable, providerInTable } from '#lambdas/pricing/table/price-table-names.ts';
import { type PriceSchedule, providerPrices } from '#lambdas/pricing/table/provider-prices.ts';
import { inputTokens, noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { ownModels } from './package-prices.ts';

const at = new Date('2026-11-20T12:00:00Z');
const noContext: PriceContext = { serviceTier: null, speed: null, inferenceGeo: null, region: null };
const findRates = (provider: string, model: string, contextTokens = 1000) =>
  priceTable.findRates({ provider, model, context: noContext, at, contextTokens });
const ratesIn = (provider: string, model: string, context: Partial<PriceContext>, time = at) =>
  priceTable.findRates({
    provider,
    model,
    context: { ...noContext, ...context },
    at: time,
    contextTokens: 1000,
  });
const inputPrice = (provider: string, model: string) =>
  findRates(provider, model)?.usdPerMillion.textInput ?? null;

/** Providers without prices: those that the operator hosts, and NVIDIA, which does not charge for tokens. */
const withoutPrices = ['nvidia', 'ollama', 'vllm'];

describe('priceTable', () => {
  it('has every provider of the catalog that charges for tokens', () => {
    const unknown = Object.keys(providerCatalog).filter((provider) => {
      const providerId = providerInTable(provider);
      return findProvider({ providerId })?.id !== providerId;
    });
    expect(unknown).toEqual(withoutPrices);
  });

  it.each([
    ['bedrock', 'anthropic.claude-opus-5', 5.5],
    ...['us', 'eu', 'apac', 'au', 'ca', 'in', 'jp'].flatMap((geography): [string, string, number][] => [
      ['bedrock', `${geography}.anthropic.claude-opus-5`, 5.5],
      ['bedrock', `${geography}.openai.gpt-5.6-sol`, 4.4],
    ]),
    ...['us', 'eu', 'jp'].map((geography): [string, string, number] => [
      'bedrock',
      `${geography}.amazon.nova-2-lite-v1:0`,
      0.33,
    ]),
    ['bedrock', 'global.amazon.nova-2-lite-v1:0', 0.3],
    ['bedrock', 'xx.anthropic.claude-opus-5', null],
    ['bedrock', 'us.anthropic.claude-fable-5', 11],
    ['bedrock', 'global.anthropic.claude-opus-5', 5],
    ['bedrock', 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5', 5.5],
    ['bedrock', 'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/global.anthropic.claude-opus-5', 5],
    ['bedrock', 'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-5', 5.5],
    ['bedrock', 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6', null],
    ['bedrock', 'arn:aws:bedrock:us-east-1:123456789012:provisioned-model/a1b2c3d4e5f6', null],
    ['bedrock', 'us.meta.llama3-3-70b-instruct-v1:0', 0.72],
    ['azure', 'gpt-4.1-2025-04-14', 2],
    ['azure', 'gpt-35-turbo', 0.5],
    ['azure', 'my-deployment', null],
    ['google', 'models/gemini-2.5-flash', 0.3],
    ['google', 'gemini-2.5-flash-001', 0.3],
    ['google', 'models/gemini-2.5-flash-lite-001', 0.1],
    ['google', 'tunedModels/mine', null],
    ['mistral', 'mistral-large-latest', 0.5],
    ['mistral', 'mistral-large-2411', 2],
    ['mistral', 'mistral-small-latest', 0.15],
    ['mistral', 'devstral-latest', 0.4],
    ['mistral', 'ministral-3b-latest', 0.1],
    ['xai', 'grok-4.3', 1.25],
    ['fireworks', 'accounts/fireworks/models/kimi-k2p6', 0.95],
    ['fireworks', 'accounts/mine/models/kimi-k2p6', null],
    ['openrouter', 'anthropic/claude-opus-5', 5],
    ['openrouter', 'deepseek/deepseek-r1:free', 0],
    ['openai', 'ft:gpt-4o-2024-08-06:acme::a1b2c3d4', 3.75],
    ['openai', 'ft:gpt-4.1-2025-04-14:acme::a1b2c3d4', null],
    ['openai', 'toString', null],
    ['mistral', 'constructor', null],
  ])('prices %s/%s at %s USD per million input tokens', (provider, model, price) => {
    expect(inputPrice(provider, model)).toBe(price);
  });

  it('prices cache writes for an hour at twice the input price when the table has only the five-minute price', () => {
    expect(findRates('bedrock', 'us.anthropic.claude-sonnet-4-6')?.usdPerMillion).toMatchObject({
      cacheWriteInput: 4.125,
      cacheWrite1hInput: 6.6,
    });
    expect(findRates('anthropic', 'claude-3-haiku-20240307')?.usdPerMillion).toMatchObject({
      cacheWriteInput: 0.3,
      cacheWrite1hInput: 0.5,
    });
  });

  it('prices a kind of token without its own price like the more general kind', () => {
    expect(findRates('openai', 'gpt-4o')?.usdPerMillion).toEqual({
      textInput: 2.5,
      audioInput: 2.5,
      imageInput: 2.5,
      cachedTextInput: 1.25,
      cachedAudioInput: 1.25,
      cachedImageInput: 1.25,
      cacheWriteInput: 2.5,
      cacheWrite1hInput: 2.5,
      textOutput: 10,
      reasoningOutput: 10,
      audioOutput: 10,
      imageOutput: 10,
    });
    expect(findRates('openai', 'gpt-audio')?.usdPerMillion.cachedAudioInput).toBe(32);
    expect(findRates('openrouter', 'perplexity/sonar-deep-research')?.usdPerMillion).toMatchObject({
      textOutput: 8,
      reasoningOutput: 3,
    });
  });

  it('has no token price for a model that is billed by the hour', () => {
    expect(inputPrice('groq', 'whisper-large-v3')).toBeNull();
  });

  it('includes a price per request if the provider charges one', () => {
    expect(findRates('perplexity', 'sonar')?.usdPerThousandRequests).toBe(12);
  });
});

describe('Free models', () => {
  const contexts: Partial<PriceContext>[] = [
    {},
    { serviceTier: 'flex' },
    { serviceTier: 'priority' },
    { speed: 'fast' },
    { region: 'eu' },
  ];

  it.each([
    ['openrouter', 'meta-llama/llama-3.3-70b-instruct:free'],
    // The table does not list these.
    ['openrouter', 'acme/new-model:free'],
    ['openrouter', 'Acme/New-Model:FREE'],
    ['openrouter', 'openrouter/free'],
    ['google', 'gemma-4-31b-it'],
    // The table lists its family.
    ['google', 'models/gemma-3-27b-it'],
  ])('include %s/%s, for all kinds of tokens and in every tier', (provider, model) => {
    for (const context of contexts) {
      const rates = ratesIn(provider, model, context);
      expect([context, new Set(Object.values(rates?.usdPerMillion ?? {}))]).toEqual([context, new Set([0])]);
      expect(rates).toMatchObject({ usdPerThousandRequests: 0, isAssumed: false, assumedKinds: [] });
    }
  });

  it('do not include names like those of OpenRouter of other providers', () => {
    const others = Object.keys(providerCatalog).filter((provider) => provider !== 'openrouter');
    const names = ['acme/new-model:free', 'openrouter/free', 'mistral-nemo:free', 'phi-4-reasoning:free'];
    for (const provider of others) {
      const [listed] = providerPrices(providerInTable(provider))?.models ?? [];
      for (const model of [...names, `${listed?.[0]}:free`]) {
        const rates = findRates(provider, model);
        expect([provider, model, rates?.usdPerMillion.textInput ?? null]).not.toEqual([provider, model, 0]);
      }
    }
  });
});

describe('Comparison with the price package', () => {
  /** Every kind of token, with each part smaller than its total, as the package requires. */
  const usage: TokenUsage = {
    ...noUsage,
    freshInputTokens: 1234,
    cachedInputTokens: 567,
    cacheWriteInputTokens: 89,
    outputTokens: 4321,
    reasoningTokens: 765,
    audioInputTokens: 321,
    cachedAudioInputTokens: 45,
    audioOutputTokens: 67,
    imageOutputTokens: 76,
  };
  const packageUsage = {
    input_tokens: inputTokens(usage),
    cache_read_tokens: usage.cachedInputTokens,
    cache_write_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
    output_reasoning_tokens: usage.reasoningTokens,
    input_audio_tokens: usage.audioInputTokens,
    cache_audio_read_tokens: usage.cachedAudioInputTokens,
    output_audio_tokens: usage.audioOutputTokens,
    output_image_tokens: usage.imageOutputTokens,
  };
  const known = Object.keys(providerCatalog).filter((provider) => !withoutPrices.includes(provider));

  it.each(known)(
    'calculates the same cost as the package for every model of %s without own prices, or an unknown cost',
    (provider) => {
      const providerId = providerInTable(provider);
      const models = findProvider({ providerId })?.models ?? [];
      expect(models.length).toBeGreaterThan(0);
      for (const { id } of models) {
        const rates = findRates(provider, id, inputTokens(usage));
        const cost = rates && calculateCost(rates, usage)?.usd;
        const [name = id] = modelNamesInTable(provider, id);
        const price = calcPrice(packageUsage, name, { providerId, timestamp: at });
        if (ownModels.has(id)) continue;
        if (cost != null && price !== null)
          expect([id, cost]).toEqual([id, usdFromNumber(price.total_price)]);
        else expect([id, price?.model_price.output_mtok]).toEqual([id, undefined]);
      }
    },
  );
});

describe('entryAt', () => {
  const priced = (input: number) => ({ prices: { input } });

  /** A first price, a second one from 17 August on, a third one in the morning and a fourth one around midnight. */
  const schedule: PriceSchedule = [
    priced(1),
    { from: '2026-08-17', ...priced(2) },
    { between: ['06:00:00', '10:00:00'], ...priced(3) },
    { between: ['23:30:00', '00:15:00'], ...priced(4) },
  ];

  it.each([
    ['2026-08-16T23:29:59.999Z', 1],
    ['2026-08-16T23:30:00Z', 4],
    ['2026-08-17T00:14:59.999Z', 4],
    ['2026-08-17T00:15:00Z', 2],
    ['2026-08-17T05:59:59.999Z', 2],
    ['2026-08-17T06:00:00Z', 3],
    ['2026-08-17T09:59:59.999Z', 3],
    ['2026-08-17T10:00:00Z', 2],
    ['2025-01-01T06:00:00Z', 3],
    ['2025-01-01T12:00:00Z', 1],
  ])('returns at %s the prices of the last entry that applies: %i', (at, input) => {
    expect(entryAt(schedule, new Date(at))).toMatchObject(priced(input));
  });

  it('returns the prices of the first entry if none applies', () => {
    const later: PriceSchedule = [
      { from: '2026-01-01', ...priced(1) },
      { from: '2026-02-01', ...priced(2) },
    ];
    expect(entryAt(later, new Date('2025-12-31T23:59:59Z'))).toMatchObject(priced(1));
  });

  it('returns the same prices at any time without a schedule', () => {
    const prices = { input: 1, output: [2, [200_000, 3]] as const };
    expect(entryAt(prices, new Date(0))).toEqual({ prices });
  });

  it('applies a price only when its day, its hours and its weekdays all match', () => {
    const schedule: PriceSchedule = [
      priced(1),
      {
        from: '2026-11-20',
        between: ['01:00:00', '04:00:00'],
        weekdays: true,
        except: ['2026-11-24'],
        ...priced(2),
      },
    ];
    const inputAt = (time: string) => entryAt(schedule, new Date(time)).prices.input;

    expect(inputAt('2026-11-20T02:00:00Z')).toBe(2);
    expect(inputAt('2026-11-20T04:00:00Z')).toBe(1);
    expect(inputAt('2026-11-19T02:00:00Z')).toBe(1);
    expect([21, 22, 23, 24, 25].map((date) => inputAt(`2026-11-${date}T02:00:00Z`))).toEqual([1, 1, 2, 1, 2]);
  });
});

describe('Price contexts', () => {
  const inputIn = (...request: Parameters<typeof ratesIn>) => {
    const rates = ratesIn(...request);
    return [rates?.usdPerMillion.textInput, rates?.isAssumed];
  };

  it.each([
    ['openai', 'gpt-5.5', 'default', 5, false],
    ['openai', 'gpt-5.5', 'flex', 2.5, false],
    ['openai', 'gpt-5.5-2026-04-23', 'priority', 12.5, false],
    ['openai', 'gpt-6-astra', 'fast', 20, false],
    ['openai', 'gpt-6-astra', 'ultrafast', 60, false],
    // A tier without a price of its own.
    ['openai', 'gpt-5-search-api', 'priority', 1.25, true],
    ['openai', 'gpt-5.5', 'scale', 5, true],
    ['anthropic', 'claude-opus-5', 'batch', 2.5, false],
    ['anthropic', 'claude-opus-5', 'priority', 5, true],
    ['google', 'gemini-2.5-flash', 'flex', 0.15, false],
    ['google', 'models/gemini-3.8-flash', 'ON_DEMAND_PRIORITY', 1.35, false],
    ['google', 'gemini-2.5-flash', 'ON_DEMAND', 0.3, false],
    ['bedrock', 'qwen.qwen3-32b-v1:0', 'flex', 0.075, false],
    ['bedrock', 'us.amazon.nova-pro-v1:0', 'priority', 1.4, true],
    ['groq', 'openai/gpt-oss-120b', 'on_demand', 0.15, false],
    ['groq', 'openai/gpt-oss-120b', 'flex', 0.15, false],
    ['groq', 'openai/gpt-oss-120b', 'performance', 0.15, true],
    ['azure', 'gpt-5.5', 'flex', 2.5, false],
  ])('prices %s/%s in the tier %s at %s USD per million input tokens (assumed: %s)', (...row) => {
    const [provider, model, serviceTier, usd, isAssumed] = row;
    expect(inputIn(provider, model, { serviceTier })).toEqual([usd, isAssumed]);
  });

  it('combines speed and geography, and leaves out the geography for models without a surcharge', () => {
    expect(inputIn('anthropic', 'claude-opus-5-5', { speed: 'fast' })).toEqual([8, false]);
    expect(inputIn('anthropic', 'claude-opus-5-5', { inferenceGeo: 'us' })).toEqual([4.4, false]);
    expect(inputIn('anthropic', 'claude-opus-5-5', { speed: 'fast', inferenceGeo: 'us' })[0]).toBeCloseTo(
      8.8,
      12,
    );
    expect(inputIn('anthropic', 'claude-opus-5-5', { inferenceGeo: 'global', speed: 'standard' })).toEqual([
      4,
      false,
    ]);
    expect(inputIn('anthropic', 'claude-haiku-4-5', { inferenceGeo: 'us' })).toEqual([1, false]);
    expect(inputIn('anthropic', 'claude-haiku-4-5', { speed: 'fast' })).toEqual([1, true]);
  });

  it('adds the surcharge of a region to the models that have one', () => {
    expect(inputIn('openai', 'gpt-5.5', { region: 'eu' })).toEqual([5.5, false]);
    expect(inputIn('openai', 'gpt-5.5', { region: 'eu', serviceTier: 'flex' })).toEqual([2.75, false]);
    expect(inputIn('openai', 'gpt-5.2', { region: 'eu' })).toEqual([1.75, false]);
    expect(inputIn('together', 'zai-org/GLM-5.3', { region: 'ca' })).toEqual([1.75, true]);
  });

  it.each([
    [{ provider: 'openai', model: 'gpt-5.5', host: 'eu.api.openai.com', region: null }, 'eu'],
    [{ provider: 'openai', model: 'gpt-5.5', host: 'api.openai.com', region: null }, null],
    [{ provider: 'together', model: 'zai-org/GLM-5.3', host: 'us-api.together.ai', region: null }, 'us'],
    [{ provider: 'my-proxy', model: 'm', host: 'eu.api.openai.com', region: null }, null],
    [{ provider: 'bedrock', model: 'amazon.nova-pro-v1:0', host: '', region: 'eu-west-1' }, 'eu-west-1'],
    [
      { provider: 'bedrock', model: 'global.anthropic.claude-opus-5', host: '', region: 'eu-west-1' },
      'global',
    ],
    [
      {
        provider: 'bedrock',
        model: 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5',
        host: '',
        region: 'us-east-1',
      },
      'us',
    ],
  ])('finds the region of %j: %s', (endpoint, region) => {
    expect(priceTable.findRegion(endpoint)).toBe(region);
  });

  it.each(['global', 'us', 'eu', 'apac', 'au', 'ca', 'in', 'jp'])(
    'finds the region of an inference profile of Bedrock in its name: %s',
    (geography) => {
      const endpoint = { provider: 'bedrock', host: '', region: 'eu-west-1' };
      const models = [`${geography}.m`, `arn:aws:bedrock:eu-west-1:1:inference-profile/${geography}.m`];

      expect(models.map((model) => priceTable.findRegion({ ...endpoint, model }))).toEqual([
        geography,
        geography,
      ]);
    },
  );

  it.each([
    ['2026-11-22T02:00:00Z', 0.66],
    ['2026-11-23T00:59:59.999Z', 0.66],
    ['2026-11-23T01:00:00Z', 1.32],
    ['2026-11-23T04:00:00Z', 0.66],
    ['2026-11-23T09:59:59.999Z', 1.32],
    ['2026-10-01T02:00:00Z', 0.66],
  ])('prices deepseek-v4-pro at %s at %s USD per million input tokens', (time, usd) => {
    expect(inputIn('deepseek', 'deepseek-v4-pro', {}, new Date(time))).toEqual([usd, false]);
  });

  it('halves the price of cache reads of claude-sonnet-5-5 on 7 October 2026', () => {
    const cacheReadAt = (time: string) =>
      ratesIn('anthropic', 'claude-sonnet-5-5', {}, new Date(time))?.usdPerMillion.cachedTextInput;

    expect(cacheReadAt('2026-10-06T23:59:59.999Z')).toBe(0.2);
    expect(cacheReadAt('2026-10-07T00:00:00Z')).toBe(0.1);
  });

  it.each([
    ['anthropic', 'claude-opus-5', { usd: 10, per: 1_000 }],
    ['google', 'gemini-3.8-flash', { usd: 14, per: 1_000, isAssumed: true }],
    ['google', 'gemini-2.5-flash', { usd: 35, per: 1_000, oncePerRequest: true, isAssumed: true }],
    ['openai', 'gpt-5-search-api', { usd: 10, per: 1_000, oncePerRequest: true, isAssumed: true }],
  ])('prices web searches of %s/%s at %j', (provider, model, rate) => {
    expect(findRates(provider, model)?.units.webSearches).toEqual(rate);
  });

  it('names its version after the package and a digest of the own prices', () => {
    const path = new URL('../../../../node_modules/@pydantic/genai-prices/package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(path, 'utf8'));
    expect(priceTable.version).toMatch(
      new RegExp(`^genai-prices ${version.replaceAll('.', '\\.')}\\+[0-9a-f]{7}$`),
    );
    expect(priceTable.version).toBe(priceDataVersion);
  });
});

describe('memoize', () => {
  function computedKeys(keys: string[], bounds: { maxEntries: number; maxKeyLength: number }): string[] {
    const computed: string[] = [];
    const memoized = memoize<{ text: string } | null>(bounds);
    for (const text of keys) {
      const value = memoized(text, () => {
        computed.push(text);
        return text === 'nothing' ? null : { text };
      });
      expect(value).toEqual(text === 'nothing' ? null : { text });
    }
    return computed;
  }

  it('computes a value once, even if it is null', () => {
    const keys = ['one', 'nothing', 'one', 'nothing', 'one'];
    expect(computedKeys(keys, { maxEntries: 2, maxKeyLength: 10 })).toEqual(['one', 'nothing']);
  });

  it('caches at most maxEntries values', () => {
    const keys = ['one', 'two', 'three', 'three', 'one', 'two', 'one'];
    expect(computedKeys(keys, { maxEntries: 2, maxKeyLength: 10 })).toEqual([
      'one',
      'two',
      'three',
      'one',
      'two',
      'one',
    ]);
  });

  it('does not cache the value of a key longer than maxKeyLength', () => {
    const keys = ['four', 'fives', 'four', 'fives'];
    expect(computedKeys(keys, { maxEntries: 2, maxKeyLength: 4 })).toEqual(['four', 'fives', 'fives']);
  });
});
