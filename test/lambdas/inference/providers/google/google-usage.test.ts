import { describe, expect, it } from 'vitest';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { streamedAnswer, wholeAnswer } from '#test/support/providers/google/google-exchange.ts';

async function usageOf(usageMetadata: unknown, fields: object = {}) {
  const { facts } = await wholeAnswer({ candidates: [{ finishReason: 'STOP', ...fields }], usageMetadata });
  return facts.usage;
}

describe("Google's usage", () => {
  it.each([
    [
      'counts thoughts beside the candidates',
      { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 20, totalTokenCount: 35 },
      { freshInputTokens: 10, outputTokens: 25, reasoningTokens: 20 },
    ],
    [
      'counts thoughts among the candidates where the total says so',
      { promptTokenCount: 10, candidatesTokenCount: 25, thoughtsTokenCount: 20, totalTokenCount: 35 },
      { freshInputTokens: 10, outputTokens: 25, reasoningTokens: 20 },
    ],
    [
      'counts thoughts without candidates',
      { promptTokenCount: 10, thoughtsTokenCount: 20, totalTokenCount: 30 },
      { freshInputTokens: 10, outputTokens: 20, reasoningTokens: 20 },
    ],
    [
      'counts the prompts of tools as input',
      {
        promptTokenCount: 10,
        toolUsePromptTokenCount: 100,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 20,
        totalTokenCount: 135,
        toolUsePromptTokensDetails: [{ modality: 'AUDIO', tokenCount: 7 }],
      },
      { freshInputTokens: 110, outputTokens: 25, reasoningTokens: 20, audioInputTokens: 7 },
    ],
    [
      'counts what was cached within the prompt',
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 60,
        candidatesTokenCount: 5,
        promptTokensDetails: [
          { modality: 'AUDIO', tokenCount: 50 },
          { modality: 'AUDIO', tokenCount: 10 },
          { modality: 'TEXT', tokenCount: 40 },
        ],
        cacheTokensDetails: [
          { modality: 'AUDIO', tokenCount: 30 },
          { modality: 'TEXT', tokenCount: 30 },
        ],
        candidatesTokensDetails: [
          { modality: 'AUDIO', tokenCount: 3 },
          { modality: 'IMAGE', tokenCount: 2 },
        ],
      },
      {
        freshInputTokens: 40,
        cachedInputTokens: 60,
        outputTokens: 5,
        audioInputTokens: 60,
        cachedAudioInputTokens: 30,
        audioOutputTokens: 3,
        imageOutputTokens: 2,
      },
    ],
    [
      'holds together where it contradicts itself',
      {
        promptTokenCount: 10,
        cachedContentTokenCount: 60,
        candidatesTokenCount: 2,
        promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 50 }],
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
    [
      'passes over what is no count',
      { promptTokenCount: '10', candidatesTokenCount: 5, thoughtsTokenCount: -1, promptTokensDetails: 'x' },
      { outputTokens: 5 },
    ],
  ])('%s', async (_case, metadata, usage) => {
    expect(await usageOf(metadata)).toEqual({ ...noUsage, ...usage });
  });

  it.each([[undefined], [null], [{}], [[]], [{ promptTokenCount: 0, totalTokenCount: 0 }]])(
    'is unknown when it is %j',
    async (metadata) => {
      expect(await usageOf(metadata)).toBeNull();
    },
  );

  it('grows in a stream, of which not every chunk says all', async () => {
    const chunk = (text: string, usageMetadata?: object, fields: object = {}) => ({
      candidates: [{ content: { parts: [{ text }] }, ...fields }],
      ...(usageMetadata && { usageMetadata }),
    });
    const { facts } = await streamedAnswer([
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
