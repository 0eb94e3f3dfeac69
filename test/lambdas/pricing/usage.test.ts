import { describe, expect, it } from 'vitest';
import { inputTokens, noUsage, readOpenAiUsage, toOpenAiUsage } from '#lambdas/pricing/usage.ts';

describe('readOpenAiUsage and toOpenAiUsage', () => {
  it('splits input into buckets that do not overlap', () => {
    const usage = readOpenAiUsage({
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, cache_write_tokens: 80 },
      completion_tokens_details: { reasoning_tokens: 192 },
    });
    expect(usage).toEqual({
      freshInputTokens: 6,
      cachedInputTokens: 1920,
      cacheWriteInputTokens: 80,
      cacheWrite1hInputTokens: 0,
      outputTokens: 300,
      reasoningTokens: 192,
      audioInputTokens: 0,
      cachedAudioInputTokens: 0,
      audioOutputTokens: 0,
      imageOutputTokens: 0,
    });
    expect(usage && inputTokens(usage)).toBe(2006);
  });

  it("reads DeepSeek's cache hits", () => {
    const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 64 };
    expect(readOpenAiUsage(usage)).toMatchObject({ freshInputTokens: 36, cachedInputTokens: 64 });
  });

  it("reads Together's and Moonshot's cache hits", () => {
    const usage = { prompt_tokens: 100, completion_tokens: 5, cached_tokens: 64 };
    expect(readOpenAiUsage(usage)).toMatchObject({ freshInputTokens: 36, cachedInputTokens: 64 });
  });

  it('adds reasoning that completion_tokens does not include, as in the usage of xAI', () => {
    const usage = readOpenAiUsage({
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      completion_tokens_details: { reasoning_tokens: 94 },
    });
    expect(usage).toMatchObject({ outputTokens: 103, reasoningTokens: 94 });
  });

  it('limits cached tokens to the input', () => {
    const usage = readOpenAiUsage({ prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 12 } });
    expect(usage).toMatchObject({ freshInputTokens: 0, cachedInputTokens: 10, outputTokens: 0 });
  });

  it('reads audio, and counts the part that exceeds the fresh input as cached', () => {
    const usage = readOpenAiUsage({
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 90, audio_tokens: 40 },
      completion_tokens_details: { audio_tokens: 30 },
    });
    expect(usage).toMatchObject({
      freshInputTokens: 10,
      audioInputTokens: 40,
      cachedAudioInputTokens: 30,
      audioOutputTokens: 30,
    });
  });

  it("writes OpenAI's format, with cached tokens in the prompt and reasoning in the completion", () => {
    const usage = {
      ...noUsage,
      freshInputTokens: 6,
      cachedInputTokens: 1920,
      cacheWriteInputTokens: 80,
      cacheWrite1hInputTokens: 4,
      outputTokens: 300,
      reasoningTokens: 192,
      audioInputTokens: 3,
      audioOutputTokens: 2,
    };
    expect(toOpenAiUsage(usage)).toEqual({
      prompt_tokens: 2010,
      completion_tokens: 300,
      total_tokens: 2310,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 192, audio_tokens: 2 },
    });
  });

  it.each([
    null,
    undefined,
    'x',
    {},
    { prompt_tokens: '3' },
    { prompt_tokens: -1 },
    { prompt_tokens: 0.5 },
    { prompt_tokens: 1_000_000_001 },
    { completion_tokens: Number.MAX_SAFE_INTEGER },
  ])('returns null for %j', (value) => {
    expect(readOpenAiUsage(value)).toBeNull();
  });

  it('accepts counts of up to a billion tokens', () => {
    expect(readOpenAiUsage({ prompt_tokens: 1_000_000_000 })).toMatchObject({
      freshInputTokens: 1_000_000_000,
    });
  });
});
