import { describe, expect, it } from 'vitest';
import { type CustomPrice, type CustomPrices, noCustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import { findMaxRates, type MaxRatesRequest, possibleTiers } from '#lambdas/pricing/max-rates.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import { priceData } from '#lambdas/pricing/table/price-data.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { isSchedule, providerPrices } from '#lambdas/pricing/table/provider-prices.ts';
import { emptyPriceTable } from '#test/support/prices.ts';

const request: MaxRatesRequest = {
  provider: 'openai',
  model: 'gpt-4o',
  region: null,
  at: new Date('2026-11-01T00:00:00Z'),
  settings: {},
  findCustomPrices: () => noCustomPrices,
  serviceTier: 'default',
  optionsText: '',
  withAudio: false,
  withImages: false,
  withCaching: false,
  withOutput: true,
};

/** The highest prices of input and output, and the fee per thousand requests if there is one. */
function maxRates(changes: Partial<MaxRatesRequest>) {
  const found = findMaxRates({ ...request, ...changes }, priceTable);
  if (found === null) return null;
  const { usdPerMillionInput, usdPerMillionOutput, usdPerThousandRequests } = found;
  const fee = usdPerThousandRequests === 0 ? [] : [usdPerThousandRequests];
  return [usdPerMillionInput, usdPerMillionOutput, ...fee];
}

const customPrice = (input: number, more: Partial<CustomPrice> = {}): CustomPrice => ({
  from: '2026-10-01T00:00:00.000Z',
  tier: null,
  price: { prices: { input, output: 10 * input }, above: [] },
  ...more,
});
const withCustomPrices = (prices: Partial<CustomPrices>) => ({
  findCustomPrices: () => ({ ...noCustomPrices, ...prices }),
});

describe('findMaxRates', () => {
  it('returns the prices of the standard tier for a request that chooses it', () => {
    expect(maxRates({})).toEqual([2.5, 10]);
    expect(maxRates({ provider: 'deepseek', model: 'unheard-of' })).toBeNull();
  });

  it('includes the tier that a project can have by default, unless the request chooses another', () => {
    expect(maxRates({ serviceTier: null })).toEqual([4.25, 17]);
    expect(maxRates({ serviceTier: 'auto' })).toEqual([4.25, 17]);
    expect(maxRates({ serviceTier: 'fast' })).toEqual([4.25, 17]);
    expect(maxRates({ serviceTier: 'flex' })).toEqual([2.5, 10]);
    expect(maxRates({ provider: 'google', model: 'gemini-2.5-flash', serviceTier: null })).toEqual([
      0.3, 2.5,
    ]);
  });

  it('includes each tier that the provider may read', () => {
    expect(maxRates({ serviceTier: 'flex', otherServiceTiers: ['default'] })).toEqual([2.5, 10]);
    for (const dearer of ['fast', 'auto', null]) {
      expect(maxRates({ serviceTier: 'flex', otherServiceTiers: ['default', dearer] })).toEqual([4.25, 17]);
      expect(maxRates({ serviceTier: dearer, otherServiceTiers: ['flex'] })).toEqual([4.25, 17]);
    }
    const all = [customPrice(1)];
    expect(maxRates({ otherServiceTiers: ['scale'], ...withCustomPrices({ all }) })).toEqual([2.5, 10]);
  });

  it('includes a tier or speed that any option names', () => {
    const gemini = { provider: 'google', model: 'gemini-2.5-flash', serviceTier: null };
    expect(maxRates({ ...gemini, optionsText: '[["tier","service_tier_priority"]]' })).toEqual([0.54, 4.5]);
    const bedrock = { provider: 'bedrock', model: 'amazon.nova-pro-v1:0', serviceTier: null };
    expect(maxRates(bedrock)).toEqual([0.8, 3.2]);
    expect(maxRates({ ...bedrock, optionsText: '[["tier",{"type":"priority"}]]' })).toEqual([1.4, 5.6]);
  });

  it('includes cache writes for an hour, inference in the dearest geography and the fast speed', () => {
    const opus = { provider: 'anthropic', model: 'claude-opus-5', serviceTier: null };
    // Twice the price of input, times 1.1.
    expect(maxRates(opus)).toEqual([11, 27.5]);
    expect(maxRates({ ...opus, optionsText: '[["speed","fast"]]' })).toEqual([22, 55]);
    expect(maxRates({ ...opus, model: 'claude-haiku-4-5' })).toEqual([2, 5]);
  });

  it('includes long contexts and the surcharge of the region', () => {
    const sol = { model: 'gpt-5.6-sol' };
    expect(maxRates(sol)).toEqual([16, 30]);
    expect(maxRates({ ...sol, region: 'eu' })).toEqual([17.6, 33]);
    expect(maxRates({ ...sol, settings: { priceFactor: 2 } })).toEqual([32, 60]);
  });

  it('includes prices of audio input only for requests with audio, and those of generated audio and images always', () => {
    expect(maxRates({ model: 'gpt-audio' })).toEqual([2.5, 64]);
    expect(maxRates({ model: 'gpt-audio', withAudio: true })).toEqual([32, 64]);
    expect(maxRates({ model: 'gpt-4o-audio-preview', withAudio: true })).toEqual([40, 80]);
    expect(maxRates({ provider: 'azure', model: 'gpt-4o-mini-audio-preview' })).toEqual([0.15, 20]);
    expect(maxRates({ model: 'gpt-realtime-mini', withImages: true })).toEqual([0.8, 20]);
    expect(maxRates({ provider: 'google', model: 'gemini-2.5-flash-image' })).toEqual([0.3, 30]);
  });

  it('includes the dearest known price of audio and images relative to text, if those of the model are not known', () => {
    const asksForAudio = { optionsText: '[["modalities",["text","audio"]]]' };
    // gpt-4o-mini-audio-preview: 0.15 and 0.6 for text, 10 and 20 for audio.
    const [input, output] = [166.666667, 333.333334];
    expect(maxRates({ withAudio: true })).toEqual([input, 10]);
    expect(maxRates({ withAudio: true, ...asksForAudio })).toEqual([input, output]);
    expect(maxRates({ provider: 'azure', withAudio: true, ...asksForAudio })).toEqual([input, output]);
    expect(maxRates({ model: 'gpt-audio', withImages: true })).toEqual([5, 64]);
    expect(maxRates({ provider: 'google', model: 'gemini-2.5-flash-image', withAudio: true })).toEqual([
      2.1, 30,
    ]);

    // No model of the provider has a price of audio.
    expect(
      maxRates({ ...asksForAudio, withAudio: true, provider: 'mistral', model: 'mistral-large-latest' }),
    ).toEqual([0.5, 1.5]);
  });

  it('does not include it for kinds that the provider charges like text', () => {
    const nova = { provider: 'bedrock', model: 'us.amazon.nova-pro-v1:0', serviceTier: 'default' };
    // A video.
    expect(maxRates({ ...nova, withAudio: true })).toEqual([0.8, 3.2]);
    expect(maxRates({ provider: 'azure', withImages: true })).toEqual([2.5, 10]);
    expect(
      maxRates({ provider: 'google', model: 'gemini-2.5-pro', withAudio: true, withCaching: true }),
    ).toEqual([2.5, 15]);
  });

  it('includes it also for prices of the operator that leave out audio', () => {
    const audio = { optionsText: '[["audio",{}]]', withAudio: true };
    const settings = { prices: { input: 3, output: 6 } };
    const all = [customPrice(3, { price: { prices: { input: 3, output: 6 }, above: [] } })];
    const stated = { input: 3, output: 6, input_audio: 30, output_audio: 60 };
    const withAudio = [customPrice(3, { price: { prices: stated, above: [] } })];

    expect(maxRates({ settings })).toEqual([3, 6]);
    expect(maxRates({ settings, ...audio })).toEqual([200, 200]);
    expect(maxRates({ ...audio, ...withCustomPrices({ all }) })).toEqual([200, 200]);
    expect(maxRates({ model: 'gpt-audio', ...withCustomPrices({ all }) })).toEqual([3, 200]);
    expect(maxRates({ ...audio, ...withCustomPrices({ all: withAudio }) })).toEqual([30, 60]);
    expect(maxRates({ provider: 'vllm', settings, ...audio })).toEqual([3, 6]);
  });

  it('includes that of cache writes if the request marks texts for a cache', () => {
    const nova = { provider: 'bedrock', model: 'amazon.nova-pro-v1:0', serviceTier: 'default' };
    expect(maxRates(nova)).toEqual([0.8, 3.2]);
    expect(maxRates({ ...nova, withCaching: true })).toEqual([1.6, 3.2]);
    expect(maxRates({ model: 'gpt-audio', withCaching: true })).toEqual([6.25, 64]);
    expect(maxRates({ withCaching: true })).toEqual([2.5, 10]);
  });

  it.each([
    ['openai', 'gpt-4'],
    ['google', 'gemini-2.5-flash'],
    ['bedrock', 'us.meta.llama3-3-70b-instruct-v1:0'],
    ['azure', 'phi-4'],
    ['openrouter', 'qwen/qwen-plus'],
  ])('ignores such prices for a request with text alone: %s/%s', (provider, model) => {
    const context = { serviceTier: null, speed: null, inferenceGeo: null, region: null };
    const lookup = { provider, model, context, at: request.at, contextTokens: 1_000_000 };
    const { textInput, textOutput } = priceTable.findRates(lookup)?.usdPerMillion ?? expect.fail();

    expect(maxRates({ provider, model })).toEqual([textInput, textOutput]);
  });

  it('returns zeros for free models, whatever the request contains', () => {
    const request = {
      serviceTier: 'flex',
      optionsText: '[["modalities",["audio","image"]]]',
      withAudio: true,
      withImages: true,
      withCaching: true,
    };
    const free = (provider: string, model: string) => maxRates({ ...request, provider, model });
    expect(free('openrouter', 'meta-llama/llama-3.3-70b-instruct:free')).toEqual([0, 0]);
    expect(free('openrouter', 'acme/new-model:FREE')).toEqual([0, 0]);
    expect(free('google', 'gemma-4-31b-it')).toEqual([0, 0]);
    expect(free('openai', 'gpt-4o:free')).toBeNull();
  });

  it('includes the fee per request', () => {
    expect(maxRates({ provider: 'perplexity', model: 'sonar' })).toEqual([1, 1, 12]);
  });

  it('returns null for a model whose output has no price', () => {
    expect(maxRates({ model: 'text-embedding-3-small' })).toBeNull();
    expect(maxRates({ provider: 'vllm', model: 'llama' })).toBeNull();
  });

  it('applies the precedence of prices in each tier', () => {
    const settings = { prices: { input: 7, output: 8, cacheWriteInput: 9 } };
    const all = [customPrice(1)];
    const organization = [customPrice(3), customPrice(2, { from: '2026-12-01T00:00:00.000Z' })];

    expect(maxRates({ settings })).toEqual([9, 8]);
    expect(maxRates({ settings, ...withCustomPrices({ all }) })).toEqual([1, 10]);
    expect(maxRates({ settings, ...withCustomPrices({ all, organization }) })).toEqual([3, 30]);
    // The custom price is that of the standard tier only.
    expect(maxRates({ serviceTier: 'scale', ...withCustomPrices({ all }) })).toEqual([2.5, 10]);
    expect(maxRates({ serviceTier: null, ...withCustomPrices({ all }) })).toEqual([4.25, 17]);
    expect(maxRates({ serviceTier: null, settings, ...withCustomPrices({ all }) })).toEqual([9, 10]);
  });

  it('includes tiers with custom prices, unless the request chooses another', () => {
    const all = [customPrice(1), customPrice(20, { tier: 'turbo' }), customPrice(3, { tier: 'priority' })];
    const prices = withCustomPrices({ all });

    expect(maxRates(prices)).toEqual([1, 10]);
    expect(maxRates({ ...prices, serviceTier: null })).toEqual([20, 200]);
    expect(maxRates({ ...prices, serviceTier: 'fast' })).toEqual([3, 30]);
    expect(maxRates({ ...prices, optionsText: '"turbo"' })).toEqual([20, 200]);
    expect(maxRates({ ...prices, provider: 'vllm', model: 'llama', serviceTier: null })).toEqual([20, 200]);
  });

  it('includes each context length of custom prices, even if a longer one is cheaper', () => {
    const above = [
      [1_000, { input: 9, output: 4 }],
      [2_000, { input: 5, output: 6 }],
    ] as const;
    const all = [customPrice(1, { price: { prices: { input: 1, output: 8 }, above } })];
    expect(maxRates(withCustomPrices({ all }))).toEqual([9, 8]);
  });

  it('relies on prices of the table that never fall as the context grows', () => {
    const falling = Object.keys(priceData).flatMap((provider) => {
      const { models = [], tiers = [] } = providerPrices(provider) ?? {};
      return [...models, ...tiers.flatMap((tier) => tier.models)].filter(([, prices]) => {
        const lists = isSchedule(prices) ? prices.map((entry) => entry.prices) : [prices];
        return lists.some((list) => Object.values(list).some(isFalling));
      });
    });
    expect(falling).toEqual([]);
  });
});

function isFalling(price: unknown): boolean {
  if (!Array.isArray(price)) return false;
  const [base, ...tiers] = price;
  const inOrder = [base, ...tiers.map(([, longer]) => longer)];
  return inOrder.some((value, index) => index > 0 && value < inOrder[index - 1]);
}

describe('findMaxRates for custom prices by context length', () => {
  it.each(['organization', 'all'] as const)('includes a price of a single length: %s', (scope) => {
    const above = [
      [1_000, { input: 9, output: 4 }],
      [1_001, { input: 5, output: 6 }],
    ] as const;
    const prices = [customPrice(1, { price: { prices: { input: 1, output: 8 }, above } })];
    expect(maxRates(withCustomPrices({ [scope]: prices }))).toEqual([9, 8]);
  });
});

describe('Pricing.findMaxRates', () => {
  it('reads the custom prices of the model, and rejects when it cannot', async () => {
    const { findCustomPrices: _, ...withoutPrices } = request;
    const item = { prices: [{ from: '2026-10-01T00:00:00.000Z', prices: { input: 3, output: 4 } }] };
    const keys: unknown[] = [];
    const get = async (_table: string, key: unknown) => {
      keys.push(key);
      return item;
    };

    const found = await createPricing({ ...emptyPriceTable, calls: { get } }).findMaxRates(
      'org_1',
      withoutPrices,
    );
    const unavailable = createPricing({
      ...emptyPriceTable,
      calls: { get: () => Promise.reject(new Error('unavailable')) },
    });

    expect(found).toEqual({ usdPerMillionInput: 3, usdPerMillionOutput: 4, usdPerThousandRequests: 0 });
    expect(keys).toEqual([{ model: 'openai/gpt-4o', scope: 'all' }]);
    await expect(unavailable.findMaxRates('org_1', withoutPrices)).rejects.toThrow('unavailable');
  });
});

const tiersOf = (serviceTier: string | null, otherServiceTiers: (string | null)[] = []) =>
  possibleTiers('openai', { serviceTier, otherServiceTiers, optionsText: '' }, noCustomPrices);

describe('possibleTiers', () => {
  it.each([null, 'auto', 'AUTO', 'Auto'])('includes the default of a project for the tier %s', (tier) => {
    expect(tiersOf(tier)).toEqual(['priority']);
    expect(tiersOf('flex', [tier])).toEqual(['flex', 'priority']);
  });

  it.each(['automatic', 'FLEX'])('includes only the tier that a request chooses: %s', (tier) => {
    expect(tiersOf(tier)).toEqual([tier]);
  });
});
