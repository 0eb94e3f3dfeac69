import { describe, expect, it } from 'vitest';
import { readOpenAiUsage } from '#lambdas/inference/providers/openai/usage.ts';
import { inputTokens, noUsage, type UsageKind } from '#lambdas/pricing/usage.ts';

describe('readOpenAiUsage', () => {
  it('splits input into buckets that do not overlap', () => {
    const usage = readOpenAiUsage({
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, cache_write_tokens: 80 },
      completion_tokens_details: { reasoning_tokens: 192 },
    });
    expect(usage).toEqual({
      ...noUsage,
      freshInputTokens: 6,
      cachedInputTokens: 1920,
      cacheWriteInputTokens: 80,
      outputTokens: 300,
      reasoningTokens: 192,
    });
    expect(usage && inputTokens(usage)).toBe(2006);
  });

  it.each([
    [{ ttl_30m_tokens: 50, ttl_12h_tokens: 30 }, 50, 30],
    [{ ttl_12h_tokens: 99 }, 0, 80],
    [{}, 80, 0],
  ])('splits cache writes by their lifetime: %j', (details, shorter, longer) => {
    const usage = readOpenAiUsage({
      prompt_tokens: 100,
      completion_tokens: 5,
      prompt_tokens_details: { cache_write_tokens: 80, cache_write_tokens_details: details },
    });

    expect(usage).toEqual({
      ...noUsage,
      freshInputTokens: 20,
      cacheWriteInputTokens: shorter,
      cacheWrite1hInputTokens: longer,
      outputTokens: 5,
    });
  });

  it.each([
    ["OpenAI's details", { prompt_tokens_details: { cached_tokens: 64 } }],
    ["DeepSeek's cache hits", { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }],
    ["Together's and Moonshot's cache hits", { cached_tokens: 64 }],
    ["Mistral's details", { prompt_token_details: { cached_tokens: 64 } }],
    ["Mistral's counter", { num_cached_tokens: 64 }],
    [
      "Mistral's details before its counter",
      { prompt_tokens_details: { cached_tokens: 64 }, num_cached_tokens: 99 },
    ],
    [
      "Mistral's counter beside details that are null",
      { prompt_tokens_details: null, num_cached_tokens: 64 },
    ],
  ])('reads cached tokens from %s', (_, fields) => {
    const usage = { prompt_tokens: 100, completion_tokens: 5, ...fields };
    expect(readOpenAiUsage(usage)).toEqual({
      ...noUsage,
      freshInputTokens: 36,
      cachedInputTokens: 64,
      outputTokens: 5,
    });
  });

  it.each([
    [{ prompt_audio_seconds: 36 }, { audioInputSeconds: 36 }],
    [{ prompt_audio_seconds: 0 }, {}],
    [{ prompt_audio_seconds: null }, {}],
    [{ prompt_audio_seconds: {} }, {}],
    [{ prompt_audio_seconds: 36.5 }, { missing: ['audio_input_seconds'] }],
    [{ prompt_audio_seconds: '36' }, { missing: ['audio_input_seconds'] }],
  ])("reads Mistral's seconds of audio beside the tokens in %j", (fields, expected) => {
    const usage = { prompt_tokens: 13, completion_tokens: 151, total_tokens: 164, ...fields };
    expect(readOpenAiUsage(usage)).toEqual({
      ...noUsage,
      freshInputTokens: 13,
      outputTokens: 151,
      ...expected,
    });
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

  it.each([
    null,
    undefined,
    'x',
    [],
    {},
    { total_tokens: 3 },
    { prompt_tokens: null, completion_tokens: null },
    { prompt_tokens: '3' },
    { prompt_tokens: -1, completion_tokens: 'x' },
    { prompt_tokens: 0.5 },
    { prompt_tokens: 1_000_000_001 },
    { prompt_tokens: [] },
    { completion_tokens: Number.MAX_SAFE_INTEGER },
  ])('returns null for %j, which has no token counts that can be read', (value) => {
    expect(readOpenAiUsage(value)).toBeNull();
  });

  it.each<[object, UsageKind]>([
    [{ completion_tokens: '0' }, 'output_tokens'],
    [{ completion_tokens: undefined }, 'output_tokens'],
    [{ prompt_tokens_details: { cached_tokens: '4' } }, 'cached_input_tokens'],
    [{ prompt_tokens_details: { cache_write_tokens: 1.5 } }, 'cache_write_input_tokens'],
    [{ prompt_tokens_details: { audio_tokens: -1 } }, 'audio_input_tokens'],
    [{ completion_tokens_details: { reasoning_tokens: true } }, 'reasoning_tokens'],
    [{ completion_tokens_details: { audio_tokens: {} } }, 'audio_output_tokens'],
    [{ prompt_cache_hit_tokens: 'x' }, 'cached_input_tokens'],
    [{ num_cached_tokens: 0.1 }, 'cached_input_tokens'],
  ])('keeps the readable counts beside the unreadable one in %j', (fields, kind) => {
    expect(readOpenAiUsage({ prompt_tokens: 9, completion_tokens: 0, ...fields })).toEqual({
      ...noUsage,
      freshInputTokens: 9,
      missing: [kind],
    });
  });

  it('accepts counts of up to a billion tokens', () => {
    expect(readOpenAiUsage({ prompt_tokens: 1_000_000_000, completion_tokens: 0 })).toEqual({
      ...noUsage,
      freshInputTokens: 1_000_000_000,
    });
  });
});
