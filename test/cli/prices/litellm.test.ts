import { describe, expect, it } from 'vitest';
import { isLiteLlmFile, readLiteLlmPrices } from '#cli/prices/litellm.ts';

const defaults = { organizationId: null, from: null };
const read = (file: Parameters<typeof readLiteLlmPrices>[0]) => readLiteLlmPrices(file, defaults);
const chat = (litellm_provider: string, fields: object = {}) => ({
  litellm_provider,
  mode: 'chat',
  input_cost_per_token: 2e-6,
  output_cost_per_token: 8e-6,
  ...fields,
});
const noSkips = { provider: 0, mode: 0, unit: 0, name: 0, free: 0, duplicate: 0, lower: 0 };
const modelsOf = (file: Parameters<typeof readLiteLlmPrices>[0]) =>
  read(file).prices.map(({ model }) => model);

describe('The price file of LiteLLM', () => {
  it('has the prices of all kinds of tokens, per token and without binary rounding errors', () => {
    const row = chat('openai', {
      input_cost_per_token: 8e-7,
      output_cost_per_token: '3.2e-6',
      cache_read_input_token_cost: 8e-8,
      cache_creation_input_token_cost: 1e-6,
      cache_creation_input_token_cost_above_1hr: 1.6e-6,
      output_cost_per_reasoning_token: 3.2e-6,
      input_cost_per_audio_token: 1e-5,
      cache_read_input_audio_token_cost: 3e-7,
      output_cost_per_audio_token: 2e-5,
      input_cost_per_image_token: 5e-6,
      cache_read_input_image_token_cost: 5e-7,
      output_cost_per_image_token: 4e-5,
      input_cost_per_token_batches: 1e-7,
      search_context_cost_per_query: { search_context_size_low: 0.01 },
      source: 'https://example.com',
    });

    expect(read({ 'gpt-5.5': row })).toEqual({
      skipped: noSkips,
      prices: [
        {
          model: 'openai/gpt-5.5',
          tier: null,
          ...defaults,
          price: {
            prices: {
              input: 0.8,
              cache_read: 0.08,
              cache_write: 1,
              cache_write_1h: 1.6,
              output: 3.2,
              output_reasoning: 3.2,
              input_audio: 10,
              cache_audio_read: 0.3,
              output_audio: 20,
              input_image: 5,
              cache_image_read: 0.5,
              output_image: 40,
            },
            above: [],
          },
        },
      ],
    });
  });

  it('has prices of tiers, in which a kind without its own price has the standard one', () => {
    const row = chat('openai', {
      cache_read_input_token_cost: 2e-7,
      input_cost_per_token_priority: 4e-6,
      output_cost_per_token_priority: 1.6e-5,
      input_cost_per_token_flex: 1e-6,
      output_cost_per_token_ultrafast: 4.8e-5,
      cache_read_input_token_cost_flex: 1e-7,
    });
    const { prices } = read({ 'gpt-5.5': row });

    expect(prices.map(({ tier, price }) => [tier, price?.prices])).toEqual([
      [null, { input: 2, cache_read: 0.2, output: 8 }],
      ['priority', { input: 4, cache_read: 0.2, output: 16 }],
      ['flex', { input: 1, cache_read: 0.1, output: 8 }],
      ['ultrafast', { input: 2, cache_read: 0.2, output: 48 }],
    ]);
  });

  it('has long-context prices of xAI from the number of tokens on', () => {
    const row = chat('xai', { input_cost_per_token_above_200k_tokens: 4e-6 });

    expect(read({ 'xai/grok-5': row }).prices[0]?.price?.above).toEqual([[199_999, { input: 4, output: 8 }]]);
  });

  it('names models as the providers of LiteLLM do, except for one prefix', () => {
    const rows = {
      'gpt-5.5': chat('openai'),
      'claude-opus-5': chat('anthropic'),
      'groq/openai/gpt-oss-20b': chat('groq'),
      'together_ai/Qwen/Qwen3': chat('together_ai'),
      'fireworks_ai/accounts/fireworks/models/glm-5': chat('fireworks_ai'),
      'openrouter/openrouter/auto': chat('openrouter'),
      'us.anthropic.claude-opus-5': chat('bedrock_converse'),
      'bedrock/invoke/meta.llama5': chat('bedrock'),
      'azure/gpt-5.5': chat('azure'),
      'command-a': chat('cohere_chat'),
      'hosted_vllm/llama': chat('hosted_vllm'),
    };

    expect(modelsOf(rows)).toEqual([
      'openai/gpt-5.5',
      'anthropic/claude-opus-5',
      'groq/openai/gpt-oss-20b',
      'together/Qwen/Qwen3',
      'fireworks/accounts/fireworks/models/glm-5',
      'openrouter/openrouter/auto',
      'bedrock/us.anthropic.claude-opus-5',
      'bedrock/meta.llama5',
      'azure/gpt-5.5',
      'cohere/command-a',
      'vllm/llama',
    ]);
  });

  const free = { input_cost_per_token: 0, output_cost_per_token: 0 };
  it.each([
    ['provider', 'vertex_ai/gemini-3-pro', chat('vertex_ai-language-models')],
    ['provider', 'constructor', chat('constructor')],
    ['mode', 'gpt-image', chat('openai', { mode: 'image_generation' })],
    ['mode', 'gpt-pro', chat('openai', { mode: 'responses' })],
    ['mode', 'mistral/old', { litellm_provider: 'mistral' }],
    ['unit', 'pegasus', { litellm_provider: 'bedrock', mode: 'chat', input_cost_per_second: 0.001 }],
    ['unit', 'gpt-tiered', chat('openai', { tiered_pricing: [] })],
    ['unit', 'deepseek-night', chat('deepseek', { off_peak_pricing: {} })],
    ['name', 'bedrock/eu-west-1/meta.llama5', chat('bedrock')],
    ['name', 'azure/eu/gpt-5.5', chat('azure')],
    ['name', 'together-ai-up-to-4b', chat('together_ai')],
    ['name', 'fireworks-ai-up-to-4b', chat('fireworks_ai')],
    ['name', 'ft:gpt-4o', chat('openai')],
    ['name', 'groq/', chat('groq')],
    ['name', 'a'.repeat(257), chat('openai')],
    ['free', 'ollama/llama', chat('ollama', free)],
  ])('has rows that are skipped because of their %s: %s', (reason, key, row) => {
    const { prices, skipped } = read({ [key]: row, sample_spec: chat('openai'), rules: { rules: [] } });

    expect([prices, skipped]).toEqual([[], { ...noSkips, [reason]: 1 }]);
  });

  it('has a price of global inference under ids of Bedrock without a prefix, which stand for a region in requests', () => {
    const rows = {
      'anthropic.claude-haiku-5': chat('bedrock_converse'),
      'us.anthropic.claude-haiku-5': chat('bedrock_converse', { input_cost_per_token: 2.2e-6 }),
      'meta.llama5': chat('bedrock_converse'),
      'us.meta.llama5': chat('bedrock_converse'),
    };

    expect([modelsOf(rows), read(rows).skipped]).toEqual([
      ['bedrock/us.anthropic.claude-haiku-5', 'bedrock/meta.llama5', 'bedrock/us.meta.llama5'],
      { ...noSkips, name: 1 },
    ]);
  });

  it('has two keys for some models, of which one is right', () => {
    const dear = { input_cost_per_token: 3e-6 };
    const rows = {
      'deepseek-chat': chat('deepseek'),
      'deepseek/deepseek-chat': chat('deepseek', dear),
      'moonshot.kimi': chat('bedrock_converse', dear),
      'bedrock/moonshot.kimi': chat('bedrock_converse'),
    };
    const { prices, skipped } = read(rows);

    expect(skipped).toEqual({ ...noSkips, duplicate: 2 });
    expect(prices.map(({ model, price }) => [model, price?.prices.input])).toEqual([
      ['deepseek/deepseek-chat', 3],
      ['bedrock/moonshot.kimi', 3],
    ]);
  });

  it('has reasoning at the price of output in a tier without a price of its own for it', () => {
    const row = chat('gemini', {
      output_cost_per_reasoning_token: 8e-6,
      output_cost_per_token_flex: 4e-6,
      output_cost_per_token_priority: 1.6e-5,
      output_cost_per_reasoning_token_priority: 2e-5,
    });
    const { prices } = read({ 'gemini/gemini-4-flash': row });

    expect(prices.map(({ tier, price }) => [tier, price?.prices])).toEqual([
      [null, { input: 2, output: 8, output_reasoning: 8 }],
      ['priority', { input: 2, output: 16, output_reasoning: 20 }],
      ['flex', { input: 2, output: 4 }],
    ]);
  });

  it('has the price of cached input in one of two fields', () => {
    const row = chat('deepseek', { input_cost_per_token_cache_hit: 2e-7 });

    expect(read({ 'deepseek/a': row }).prices[0]?.price?.prices).toEqual({
      input: 2,
      output: 8,
      cache_read: 0.2,
    });
  });

  it('has cache prices of 0 where they are not known', () => {
    const row = chat('openai', { cache_read_input_token_cost: 0, cache_creation_input_token_cost: 0 });

    expect(read({ a: row }).prices[0]?.price?.prices).toEqual({ input: 2, output: 8 });
  });

  it.each([-1e-6, 'cheap', '', 1.5, {}])('is rejected with the price %j', (usd) => {
    const rows = { a: chat('openai'), b: chat('openai', { cache_read_input_token_cost: usd }) };

    expect(() => read(rows)).toThrow(
      '"b": cache_read_input_token_cost must be a price in US dollars per token, not negative and at most 1',
    );
  });

  it('is recognized by its rows', () => {
    const values = [{ a: chat('openai') }, { a: 1 }, {}, [], null, 'a'];
    expect(values.map(isLiteLlmFile)).toEqual([true, false, false, false, false, false]);
  });
});
