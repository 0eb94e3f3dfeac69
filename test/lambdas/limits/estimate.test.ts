import { describe, expect, it } from 'vitest';
import { chatFormat } from '#lambdas/inference/chat/attachments.ts';
import { requestedOptionsOf, requestSizeOf } from '#lambdas/inference/completion/max-cost.ts';
import { type CostEstimate, defaultMaxOutputTokens, estimateMaxCost } from '#lambdas/limits/estimate.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { looseJson, looseObject } from '#lambdas/platform/json/loose-json.ts';
import { toUnits } from '#lambdas/platform/money.ts';
import { noCustomPrices } from '#lambdas/pricing/custom/custom-price.ts';
import { findMaxRates } from '#lambdas/pricing/max-rates.ts';
import type { PriceSources } from '#lambdas/pricing/precedence.ts';
import { type PriceRequest, priceUsage } from '#lambdas/pricing/price.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';
import { examplePriceRequest } from '#test/support/prices.ts';
import { byTestForm } from '#test/support/test-form.ts';

const noAttachments = { image: 0, audio: 0, video: 0, document: 0 };
const rates = { usdPerMillionInput: 2, usdPerMillionOutput: 10, usdPerThousandRequests: 0 };
const example: CostEstimate = {
  textBytes: 1_000,
  attachments: noAttachments,
  maxOutputTokens: 100,
  completions: 1,
  rates,
};

const looseBody = (text: string) => looseObject(looseJson(text));
const bodyOf = (body: JsonObject) => looseBody(JSON.stringify(body));
const sizeOf = (body: JsonObject) => requestSizeOf(bodyOf(body), chatFormat);
const withContent = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });
const imagePart = (url: unknown) => ({ type: 'image_url', image_url: { url } });
const filePart = (file_data: string) => ({ type: 'file', file: { file_data } });

describe('estimateMaxCost', () => {
  it('adds input, output and the fee of the request', () => {
    expect(estimateMaxCost(example)).toBe('0.003');
    expect(estimateMaxCost({ ...example, rates: { ...rates, usdPerThousandRequests: 5 } })).toBe('0.008');
    expect(estimateMaxCost({ ...example, textBytes: 1, maxOutputTokens: 1 })).toBe('0.000012');
  });

  it('multiplies the limit of the output by the number of completions, and assumes one where none is sent', () => {
    expect(estimateMaxCost({ ...example, completions: 3 })).toBe('0.005');
    expect(estimateMaxCost({ ...example, maxOutputTokens: null })).toBe('0.04296');
  });

  it('assumes that a provider ignores an uncertain limit, unless the limit is higher', () => {
    expect(estimateMaxCost({ ...example, isLimitUncertain: true })).toBe('0.04296');
    expect(estimateMaxCost({ ...example, maxOutputTokens: 5_000, isLimitUncertain: true })).toBe('0.052');
  });

  it('counts a fixed number of tokens for each attachment', () => {
    const attachments = { image: 2, audio: 1, video: 1, document: 3 };
    expect(estimateMaxCost({ ...example, attachments, maxOutputTokens: 1, textBytes: 0 })).toBe('0.98401');
  });

  it('returns an amount for limits that no provider accepts', () => {
    const limit = Number.MAX_SAFE_INTEGER;
    expect(estimateMaxCost({ ...example, completions: limit, maxOutputTokens: limit })).toBe(
      '90071992547.41191',
    );
  });
});

describe('requestSizeOf', () => {
  it('counts the bytes of the body as UTF-8, with its escapes and white space', () => {
    const text = '{ "messages": [{"content": "é\\u00e9"}] }';
    expect(requestSizeOf(looseBody(text), chatFormat).textBytes).toBe(41);
  });

  it('counts attachments instead of their data and URLs', () => {
    const parts = (data: string) => [
      { type: 'text', text: 'Describe these' },
      imagePart(`data:image/png;base64,${data}`),
      { type: 'image_url', image_url: `https://example.com/${data}` },
      { type: 'video_url', video_url: { url: `https://example.com/${data}` } },
      { type: 'input_audio', input_audio: { data, format: 'wav' } },
      filePart(`data:application/pdf;base64,${data}`),
      filePart(`DATA:Image/png;base64,${data}`),
      { type: 'file', file: { file_id: 'file-1' } },
    ];
    const messages = (data: string) => ({
      messages: [
        { role: 'user', content: parts(data) },
        { role: 'assistant', audio: { id: 'audio_1' }, images: [imagePart(`data:image/png;base64,${data}`)] },
      ],
    });
    const short = sizeOf(messages('AA=='));
    const long = sizeOf(messages('A'.repeat(10_000)));

    expect(short.attachments).toEqual({ image: 4, audio: 2, video: 1, document: 2 });
    expect(long).toEqual(short);
    const withoutData = JSON.stringify(messages('AA==')).replaceAll(/(data|https):[^"]*|AA==/gi, '');
    expect(short.textBytes).toBe(withoutData.length);
  });

  it('counts the bytes of text files, and of strings that are no URLs', () => {
    const data = 'A'.repeat(10_000);
    const textFile = sizeOf(withContent(filePart(`data:text/plain;base64,${data}`)));
    const notUrl = sizeOf(withContent(imagePart(data)));

    expect([textFile.attachments, textFile.textBytes > 10_000]).toEqual([noAttachments, true]);
    expect([notUrl.attachments.image, notUrl.textBytes > 10_000]).toEqual([1, true]);
  });

  it('accepts any body', () => {
    for (const messages of [undefined, 'text', [null, 1, { content: [null, 'a', { type: 'file' }] }]]) {
      expect(sizeOf({ messages }).textBytes).toBe(JSON.stringify({ messages }).length);
    }
  });
});

describe('requestedOptionsOf', () => {
  const optionsOf = (body: JsonObject) => requestedOptionsOf(bodyOf(body), sizeOf(body), chatFormat);

  it('reads the tier, and the other options as lower-case JSON without texts and names of the caller', () => {
    const named = {
      model: 'openai/gpt-audio',
      user: 'priority',
      tools: [{ audio: 1 }],
      metadata: { a: 'audio' },
    };
    expect(optionsOf({ ...named, ...withContent({ type: 'text', text: 'audio' }), speed: 'FAST' })).toEqual({
      serviceTier: null,
      optionsText: '[["speed","fast"]]',
      withAudio: false,
      withImages: false,
      withCaching: false,
      withOutput: true,
    });
    expect(optionsOf({ service_tier: 'Flex' })).toMatchObject({ serviceTier: 'Flex' });
    expect(optionsOf({ service_tier: 1 })).toMatchObject({ serviceTier: null });
  });

  it('reads each tier that a server may read, and names in all values of other options', () => {
    const optionsIn = (members: string) => {
      const body = looseBody(`{"messages":[],${members}}`);
      return requestedOptionsOf(body, requestSizeOf(body, chatFormat), chatFormat);
    };
    expect(optionsIn('"service_tier":"flex","Service_Tier":"PRIORITY","service_tier":1')).toMatchObject({
      serviceTier: 'flex',
      otherServiceTiers: ['PRIORITY', null],
    });
    expect(optionsIn('"Service_Tier":"flex"')).toMatchObject({
      serviceTier: 'flex',
      otherServiceTiers: [null],
    });
    expect(optionsIn('"service_tier":"flex","service_tier":"flex"')).not.toHaveProperty('otherServiceTiers');
    const members = String.raw`"x":{"y":"f\u0061\u017ft","y":1}, "x":"\\u0061"`;
    expect(optionsIn(members).optionsText).toBe(String.raw`[["x",{"y":"fast","y":1}],["x","\u0061"]]`);
  });

  it('finds audio and images in the content, and audio in the requested modalities', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } };
    expect(optionsOf(withContent(imagePart('https://example.com')))).toMatchObject({
      withAudio: false,
      withImages: true,
    });
    for (const body of [
      withContent(audio),
      withContent({ type: 'video_url', video_url: { url: 'https://example.com' } }),
      { modalities: ['text', 'audio'] },
      { generationConfig: { responseModalities: ['AUDIO'] } },
    ]) {
      expect(optionsOf(body)).toMatchObject({ withAudio: true, withImages: false });
    }
  });
});

it.each([
  ['{"messages":[{"content":[{"text":"Hi","cache_control":{"type":"ephemeral"}}]}]}', true],
  ['{"tools":[{"Cache_Control":{}}],"messages":[]}', true],
  ['{"messages":[{"content":[{"cachePoint":{}}]}]}', true],
  [String.raw`{"messages":[{"c\u0061che_control":{}}]}`, true],
  [String.raw`{"messages":[{"CA\u0043HE_CONTROL":{}}]}`, true],
  [String.raw`{"messages":[{"content":"caf\u00e9 \n\u2028"}]}`, false],
])('requestedOptionsOf finds marks for a cache in %s: %s', (text, withCaching) => {
  const body = looseBody(text);
  expect(requestedOptionsOf(body, requestSizeOf(body, chatFormat), chatFormat).withCaching).toBe(withCaching);
});

interface PricedModel {
  provider: string;
  model: string;
  sources?: Partial<PriceSources>;
}

const customPrices = {
  organization: [],
  all: [
    {
      from: '2026-01-01T00:00:00.000Z',
      tier: null,
      price: { prices: { input: 1, output: 2 }, above: [[50_000, { input: 9, cache_read: 11, output: 1 }]] },
    },
    {
      from: '2026-01-01T00:00:00.000Z',
      tier: 'flex',
      price: { prices: { input: 90, output: 90 }, above: [] },
    },
  ],
} as const;

const pricedModels: PricedModel[] = [
  ...['gpt-4o', 'gpt-5.5', 'gpt-5.6-sol', 'gpt-6-astra', 'gpt-audio', 'gpt-4o-audio-preview'].map(
    (model) => ({
      provider: 'openai',
      model,
    }),
  ),
  ...['claude-opus-5', 'claude-haiku-5-5', 'claude-sonnet-4-5', 'claude-fable-5-2'].map((model) => ({
    provider: 'anthropic',
    model,
  })),
  ...['gemini-2.5-flash', 'gemini-3-pro-image', 'gemini-2.5-pro'].map((model) => ({
    provider: 'google',
    model,
  })),
  { provider: 'bedrock', model: 'global.anthropic.claude-haiku-5-5' },
  { provider: 'xai', model: 'grok-4.7' },
  { provider: 'openai', model: 'gpt-4o', sources: { findCustomPrices: () => customPrices } },
  { provider: 'openai', model: 'gpt-5.6-sol', sources: { settings: { priceFactor: 1.1 } } },
  {
    provider: 'vllm',
    model: 'llama',
    sources: { settings: { prices: { input: 1, output: 2, cachedInput: 3, cacheWriteInput: 4 } } },
  },
];

const tierNames = ['default', 'flex', 'priority', 'fast', 'ultrafast', 'scale'];

/** The tiers of which a response may name one. */
function servedTiers({ provider }: PricedModel, requested: string | null): (string | null)[] {
  const projectDefaults = provider === 'openai' ? ['priority', 'fast'] : [];
  return requested === null || requested === 'auto'
    ? [null, 'default', ...projectDefaults]
    : [requested, 'default'];
}

const share = fc.double({ min: 0, max: 1, noNaN: true });

/** Splits the input and output of a response into kinds. */
function usageOf({ inputTokens, outputTokens, shares, withAudio }: UsageCase): TokenUsage {
  let remaining = inputTokens;
  const take = (part = 0) => {
    const taken = Math.floor(remaining * part);
    remaining -= taken;
    return taken;
  };
  const [cached, write, write1h, audio, reasoning, audioOutput, imageOutput] = shares;
  const cachedInputTokens = take(cached);
  const cacheWriteInputTokens = take(write);
  const cacheWrite1hInputTokens = take(write1h);
  const part = (total: number, fraction = 0) => Math.floor(total * fraction);
  return {
    ...noUsage,
    cachedInputTokens,
    cacheWriteInputTokens,
    cacheWrite1hInputTokens,
    freshInputTokens: remaining,
    audioInputTokens: withAudio ? part(remaining + cachedInputTokens, audio) : 0,
    outputTokens,
    reasoningTokens: part(outputTokens, reasoning),
    audioOutputTokens: withAudio ? part(outputTokens, audioOutput) : 0,
    imageOutputTokens: part(outputTokens, imageOutput),
  };
}

interface UsageCase {
  inputTokens: number;
  outputTokens: number;
  shares: readonly number[];
  withAudio: boolean;
}

describe('An estimate', () => {
  it('is never below the cost of a response that fits the request', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...pricedModels),
        fc.record({
          contentBytes: fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max: 400_000 })),
          completions: fc.integer({ min: 1, max: 4 }),
          maxOutputTokens: fc.option(fc.integer({ min: 1, max: 128_000 })),
          withAudio: fc.boolean(),
          tier: fc.constantFrom(null, 'auto', ...tierNames),
          speed: fc.constantFrom(null, 'fast'),
        }),
        fc.record({
          usedInput: fc.oneof(fc.constant(1), share),
          usedOutput: fc.oneof(fc.constant(1), share),
          shares: fc.array(fc.oneof(fc.constantFrom(0, 1), share), { minLength: 7, maxLength: 7 }),
          tierIndex: fc.nat({ max: 3 }),
          inferenceGeo: fc.constantFrom(null, 'global', 'us'),
          region: fc.constantFrom(null, 'eu'),
        }),
        (priced, { contentBytes, withAudio, tier, speed, ...outputLimit }, response) => {
          const body: JsonObject = {
            messages: [{ role: 'user', content: 'x'.repeat(contentBytes) }],
            ...(withAudio && { modalities: ['text', 'audio'] }),
            ...(tier !== null && { service_tier: tier }),
            ...(speed !== null && { speed }),
          };
          const requestSize = sizeOf(body);
          const { completions, maxOutputTokens } = outputLimit;
          const maxTotalTokens = completions * (maxOutputTokens ?? defaultMaxOutputTokens);
          const tiers = servedTiers(priced, tier);
          const { inferenceGeo, region } = response;
          const serviceTier = tiers[response.tierIndex % tiers.length] ?? null;
          const usage = usageOf({
            inputTokens: Math.floor(requestSize.textBytes * response.usedInput),
            outputTokens: Math.floor(maxTotalTokens * response.usedOutput),
            shares: response.shares,
            withAudio,
          });
          const request: PriceRequest = {
            ...examplePriceRequest,
            findCustomPrices: () => noCustomPrices,
            ...priced.sources,
            provider: priced.provider,
            model: priced.model,
            responseModel: null,
            context: { serviceTier, speed, inferenceGeo, region },
            parts: [{ model: null, usage }],
          };

          const found = findMaxRates(
            { ...request, ...requestedOptionsOf(bodyOf(body), requestSize, chatFormat), region },
            priceTable,
          );
          const estimate = found && estimateMaxCost({ ...requestSize, ...outputLimit, rates: found });
          const { price } = priceUsage(request, priceTable);

          expect(price.pricing).not.toBe('unknown');
          expect(toUnits(price.cost_usd) <= toUnits(estimate ?? '0')).toBe(true);
        },
      ),
      { numRuns: byTestForm({ short: 1_000, long: 50_000 }) },
    );
  });
});
