import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { usdFromNumber } from '#lambdas/platform/money.ts';
import { costAt } from '#lambdas/pricing/price.ts';
import { priceTable } from '#lambdas/pricing/price-table.ts';
import { modelNamesInTable, providerInTable } from '#lambdas/pricing/table-names.ts';
import { inputTokens, noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';

const at = new Date('2026-11-20T12:00:00Z');
const ratesOf = (provider: string, model: string, inputTokens = 1000) =>
  priceTable.ratesOf({ provider, model, at, inputTokens });
const inputPrice = (provider: string, model: string) =>
  ratesOf(provider, model)?.usdPerMillion.textInput ?? null;

/** What the table has no prices of: the operator's own machines, and NVIDIA, which sells no tokens. */
const withoutPrices = ['nvidia', 'ollama', 'vllm'];

describe('the price table', () => {
  it('knows every provider of the catalog that sells tokens', () => {
    const unknown = Object.keys(providerCatalog).filter((provider) => {
      const providerId = providerInTable(provider);
      return findProvider({ providerId })?.id !== providerId;
    });
    expect(unknown).toEqual(withoutPrices);
  });

  it.each([
    ['bedrock', 'anthropic.claude-opus-5', 5.5],
    ['bedrock', 'us.anthropic.claude-opus-5', 5.5],
    ['bedrock', 'apac.anthropic.claude-opus-5', 5.5],
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
  ])('prices %s/%s at %s a million input tokens', (provider, model, price) => {
    expect(inputPrice(provider, model)).toBe(price);
  });

  it('prices a write for an hour at twice the input where the table has only the price of five minutes', () => {
    expect(ratesOf('bedrock', 'us.anthropic.claude-sonnet-4-6')?.usdPerMillion).toMatchObject({
      cacheWriteInput: 4.125,
      cacheWrite1hInput: 6.6,
    });
    expect(ratesOf('anthropic', 'claude-3-haiku-20240307')?.usdPerMillion).toMatchObject({
      cacheWriteInput: 0.3,
      cacheWrite1hInput: 0.5,
    });
  });

  it('prices a token that has no price of its own as what it is a kind of', () => {
    expect(ratesOf('openai', 'gpt-4o')?.usdPerMillion).toEqual({
      textInput: 2.5,
      audioInput: 2.5,
      cachedTextInput: 1.25,
      cachedAudioInput: 1.25,
      cacheWriteInput: 2.5,
      cacheWrite1hInput: 2.5,
      textOutput: 10,
      reasoningOutput: 10,
      audioOutput: 10,
      imageOutput: 10,
    });
    expect(ratesOf('openai', 'gpt-audio')?.usdPerMillion.cachedAudioInput).toBe(32);
    expect(ratesOf('openrouter', 'perplexity/sonar-deep-research')?.usdPerMillion).toMatchObject({
      textOutput: 8,
      reasoningOutput: 3,
    });
  });

  it('has no price at all of what is sold by the hour', () => {
    expect(inputPrice('groq', 'whisper-large-v3')).toBeNull();
  });

  it('charges a request itself where the provider does', () => {
    expect(ratesOf('perplexity', 'sonar')?.usdPerMillionRequests).toBe(12_000);
  });
});

describe('every model of the table', () => {
  /** With every kind of token, as the library wants it told: all counts, and each part within its whole. */
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
  const inWordsOfTheLibrary = {
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

  it.each(known)('of %s costs what the library says, or is said to be unknown', (provider) => {
    const providerId = providerInTable(provider);
    const models = findProvider({ providerId })?.models ?? [];
    expect(models.length).toBeGreaterThan(0);
    for (const { id } of models) {
      const rates = ratesOf(provider, id, inputTokens(usage));
      const cost = rates && costAt(rates, usage);
      const [name = id] = modelNamesInTable(provider, id);
      const price = calcPrice(inWordsOfTheLibrary, name, { providerId, timestamp: at });
      if (cost !== null && price !== null) expect([id, cost]).toEqual([id, usdFromNumber(price.total_price)]);
      else expect([id, price?.model_price.output_mtok]).toEqual([id, undefined]);
    }
  });
});
