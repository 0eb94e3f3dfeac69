import { describe, expect, it } from 'vitest';
import { noUsage, type TokenUsage, type UsageKind } from '#lambdas/pricing/usage.ts';
import { billingFor, completionFor, streamFor } from '#test/support/providers/google/call.ts';

type Fields = Record<string, unknown>;

const tokens = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

describe('Google usage', () => {
  it.each<[string, Fields, Partial<TokenUsage>]>([
    [
      'adds thought tokens to candidate tokens',
      { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 20, totalTokenCount: 35 },
      { freshInputTokens: 10, outputTokens: 25, reasoningTokens: 20 },
    ],
    [
      'does not add thought tokens when the total shows that candidates include them',
      { promptTokenCount: 10, candidatesTokenCount: 25, thoughtsTokenCount: 20, totalTokenCount: 35 },
      { freshInputTokens: 10, outputTokens: 25, reasoningTokens: 20 },
    ],
    [
      'adds thought tokens that exceed candidate tokens, whatever the total',
      { promptTokenCount: 10, candidatesTokenCount: 200, thoughtsTokenCount: 300, totalTokenCount: 210 },
      { freshInputTokens: 10, outputTokens: 500, reasoningTokens: 300 },
    ],
    [
      'counts thought tokens without candidate tokens',
      { promptTokenCount: 10, thoughtsTokenCount: 20, totalTokenCount: 30 },
      { freshInputTokens: 10, outputTokens: 20, reasoningTokens: 20 },
    ],
    [
      'counts the input of a blocked prompt, where an image is part of the input',
      {
        promptTokenCount: 8028,
        totalTokenCount: 8028,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 2214 },
          { modality: 'IMAGE', tokenCount: 5814 },
        ],
      },
      { freshInputTokens: 8028, imageInputTokens: 5814 },
    ],
    [
      'counts the images of a PDF as image input',
      {
        promptTokenCount: 32_334,
        candidatesTokenCount: 645,
        thoughtsTokenCount: 2311,
        totalTokenCount: 35_290,
        promptTokensDetails: [
          { modality: 'IMAGE', tokenCount: 32_240 },
          { modality: 'TEXT', tokenCount: 94 },
        ],
      },
      { freshInputTokens: 32_334, imageInputTokens: 32_240, outputTokens: 2956, reasoningTokens: 2311 },
    ],
    [
      'separates image output from the text and the thoughts of an image model',
      {
        promptTokenCount: 8,
        candidatesTokenCount: 1218,
        thoughtsTokenCount: 162,
        totalTokenCount: 1388,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1120 }],
      },
      { freshInputTokens: 8, outputTokens: 1380, reasoningTokens: 162, imageOutputTokens: 1120 },
    ],
    [
      'counts cached tokens of a response that has only thoughts',
      {
        promptTokenCount: 65_036,
        cachedContentTokenCount: 60_835,
        thoughtsTokenCount: 286,
        totalTokenCount: 65_322,
      },
      { freshInputTokens: 4201, cachedInputTokens: 60_835, outputTokens: 286, reasoningTokens: 286 },
    ],
    [
      'subtracts cached tokens from prompt tokens, also by modality',
      {
        promptTokenCount: 150,
        cachedContentTokenCount: 80,
        candidatesTokenCount: 5,
        promptTokensDetails: [
          { modality: 'AUDIO', tokenCount: 50 },
          { modality: 'AUDIO', tokenCount: 10 },
          { modality: 'IMAGE', tokenCount: 50 },
          { modality: 'TEXT', tokenCount: 40 },
        ],
        cacheTokensDetails: [
          { modality: 'AUDIO', tokenCount: 30 },
          { modality: 'IMAGE', tokenCount: 20 },
          { modality: 'TEXT', tokenCount: 30 },
        ],
        candidatesTokensDetails: [
          { modality: 'AUDIO', tokenCount: 3 },
          { modality: 'IMAGE', tokenCount: 2 },
        ],
      },
      {
        freshInputTokens: 70,
        cachedInputTokens: 80,
        outputTokens: 5,
        audioInputTokens: 60,
        cachedAudioInputTokens: 30,
        imageInputTokens: 50,
        cachedImageInputTokens: 20,
        audioOutputTokens: 3,
        imageOutputTokens: 2,
      },
    ],
    [
      'clamps contradictory usage counts',
      {
        promptTokenCount: 10,
        cachedContentTokenCount: 60,
        candidatesTokenCount: 2,
        promptTokensDetails: [
          { modality: 'AUDIO', tokenCount: 50 },
          { modality: 'IMAGE', tokenCount: 50 },
        ],
        cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 70 }],
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 3 }],
      },
      {
        freshInputTokens: 0,
        cachedInputTokens: 10,
        outputTokens: 2,
        audioInputTokens: 10,
        cachedAudioInputTokens: 10,
        audioOutputTokens: 2,
      },
    ],
  ])('%s', async (_case, metadata, usage) => {
    expect((await billingFor(metadata)).usage).toEqual({ ...noUsage, ...usage });
  });

  it.each<[string, Fields, UsageKind]>([
    ['text instead of a number', { thoughtsTokenCount: '7' }, 'reasoning_tokens'],
    ['negative', { cachedContentTokenCount: -1 }, 'cached_input_tokens'],
    ['not whole', { toolUsePromptTokenCount: 0.5 }, 'input_tokens'],
    ['too large', { thoughtsTokenCount: 1e300 }, 'reasoning_tokens'],
    [
      'wrong in a modality',
      { promptTokensDetails: [{ modality: 'AUDIO', tokenCount: {} }] },
      'audio_input_tokens',
    ],
  ])('names the kind whose count is %s', async (_case, wrong, kind) => {
    expect((await billingFor({ ...tokens, ...wrong })).usage).toEqual({
      ...noUsage,
      freshInputTokens: 10,
      outputTokens: 5,
      missing: [kind],
    });
  });

  it.each([
    [undefined],
    [null],
    [{}],
    [[]],
    [{ promptTokenCount: 0, totalTokenCount: 0 }],
    [{ promptTokenCount: [], candidatesTokenCount: '5' }],
  ])('returns null for usageMetadata %j', async (metadata) => {
    expect((await billingFor(metadata)).usage).toBeNull();
  });

  it('merges the usage of all chunks of a stream', async () => {
    const chunk = (text: string, usageMetadata?: object, fields: object = {}) => ({
      candidates: [{ content: { parts: [{ text }] }, ...fields }],
      ...(usageMetadata && { usageMetadata }),
    });
    const { facts } = await streamFor([
      chunk('A', { promptTokenCount: 100, cachedContentTokenCount: 60, totalTokenCount: 100 }),
      chunk('B', { promptTokenCount: 100, candidatesTokenCount: 1, totalTokenCount: 101 }),
      chunk('C'),
      chunk(
        'D',
        { promptTokenCount: 100, candidatesTokenCount: 9, totalTokenCount: 109 },
        { finishReason: 'STOP' },
      ),
    ]);

    expect(facts.usage).toEqual({
      ...noUsage,
      freshInputTokens: 40,
      cachedInputTokens: 60,
      outputTokens: 9,
    });
  });
});

describe('Google service tiers', () => {
  const tierHeader = (tier: string) => ({ 'x-gemini-service-tier': tier });

  it.each<[string, Fields, Record<string, string>, string | null]>([
    ['usage', { serviceTier: 'flex' }, {}, 'flex'],
    ['header when the usage has none', {}, tierHeader('priority'), 'priority'],
    ['usage if the header differs', { serviceTier: 'standard' }, tierHeader('priority'), 'standard'],
    ['header if the usage is unspecified', { serviceTier: 'unspecified' }, tierHeader('flex'), 'flex'],
    ['traffic type of Vertex AI', { trafficType: 'ON_DEMAND_FLEX' }, {}, 'ON_DEMAND_FLEX'],
    ['null if the traffic type is unspecified', { trafficType: 'TRAFFIC_TYPE_UNSPECIFIED' }, {}, null],
    ['null if all names are empty', { serviceTier: '', trafficType: ' ' }, tierHeader(''), null],
    ['null if the name is not text', { serviceTier: 5, trafficType: {} }, {}, null],
  ])('reads the service tier: %s', async (_case, metadata, headers, serviceTier) => {
    const billing = await billingFor({ ...tokens, ...metadata }, { headers });

    expect(billing).toMatchObject({ serviceTier, usage: { freshInputTokens: 10, outputTokens: 5 } });
  });

  it('reads the tier of a stream of Vertex AI, whose chunks before the last have no counts', async () => {
    const { facts } = await streamFor([
      { candidates: [{ content: { parts: [{ text: 'A' }] } }], usageMetadata: { trafficType: 'ON_DEMAND' } },
      {
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: {
          promptTokenCount: 26,
          candidatesTokenCount: 23,
          totalTokenCount: 181,
          trafficType: 'ON_DEMAND',
          thoughtsTokenCount: 132,
        },
      },
    ]);

    const usage = { ...noUsage, freshInputTokens: 26, outputTokens: 155, reasoningTokens: 132 };
    expect(facts).toMatchObject({ serviceTier: 'ON_DEMAND', usage });
  });

  it('reads the tier of a blocked prompt', async () => {
    const body = {
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 7, totalTokenCount: 7, serviceTier: 'flex' },
    };
    const expected = { serviceTier: 'flex', usage: { ...noUsage, freshInputTokens: 7 } };

    expect((await completionFor(body)).facts).toMatchObject(expected);
    expect((await streamFor([body])).facts).toMatchObject(expected);
  });
});
