import { describe, expect, it } from 'vitest';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { streamedAnswer, wholeAnswer } from '#test/support/providers/anthropic/anthropic-exchange.ts';

const message = (usage: unknown) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5-20251001' },
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage,
});

async function usageFrom(usage: unknown) {
  return (await wholeAnswer(message(usage))).facts.usage;
}

describe('the usage of a message', () => {
  it('has buckets that do not overlap', async () => {
    const counted = await usageFrom({
      input_tokens: 10,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 3_000,
      cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
      output_tokens: 40,
      output_tokens_details: { thinking_tokens: 30 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
    });

    expect(counted).toEqual({
      ...noUsage,
      freshInputTokens: 10,
      cachedInputTokens: 200,
      cacheWriteInputTokens: 1_000,
      cacheWrite1hInputTokens: 2_000,
      outputTokens: 40,
      reasoningTokens: 30,
      webSearches: 2,
    });
  });

  it.each([
    ['nothing of the time', { cache_creation_input_tokens: 7 }, [7, 0]],
    ['nothing of the time, with a null', { cache_creation_input_tokens: 7, cache_creation: null }, [7, 0]],
    ['no total', { cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 } }, [3, 4]],
    [
      'more for an hour than in all',
      { cache_creation_input_tokens: 7, cache_creation: { ephemeral_1h_input_tokens: 9 } },
      [0, 7],
    ],
    ['nulls', { cache_creation_input_tokens: null, cache_creation: null }, [0, 0]],
  ])('counts what was written to the cache, where it says %s', async (_, said, expected) => {
    const counted = await usageFrom({ input_tokens: 1, output_tokens: 1, ...said });

    expect([counted?.cacheWriteInputTokens, counted?.cacheWrite1hInputTokens]).toEqual(expected);
  });

  it.each([undefined, null, [], {}, { input_tokens: null }, { input_tokens: '9' }])(
    'is unknown where nothing is counted: %j',
    async (usage) => {
      expect(await usageFrom(usage)).toBeNull();
    },
  );

  it('has what shortening the conversation took, which stands in no total', async () => {
    const counted = await usageFrom({
      input_tokens: 23_000,
      output_tokens: 1_000,
      iterations: [
        { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 },
        { type: 'message', input_tokens: 23_000, output_tokens: 1_000 },
      ],
    });

    expect(counted).toEqual({ ...noUsage, freshInputTokens: 203_000, outputTokens: 4_500 });
  });
});

describe('the usage of a stream', () => {
  const stream = (first: unknown, ...later: unknown[]) => [
    { type: 'message_start', message: { ...message(first), content: [], stop_reason: null } },
    ...later.map((usage) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })),
    { type: 'message_stop' },
  ];

  it('grows, and the last word counts', async () => {
    const { facts, usage } = await streamedAnswer(
      stream(
        { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 5 },
        { output_tokens: 20 },
        { input_tokens: 900, output_tokens: 40, server_tool_use: { web_search_requests: 1 } },
      ),
    );

    expect(facts.usage).toEqual({
      ...noUsage,
      freshInputTokens: 900,
      cachedInputTokens: 5,
      outputTokens: 40,
      webSearches: 1,
    });
    expect(usage).toMatchObject({ prompt_tokens: 905, completion_tokens: 40, total_tokens: 945 });
  });

  it.each([null, undefined, { input_tokens: null, cache_read_input_tokens: null, output_tokens: 7 }])(
    'keeps what the start said where the end says nothing: %j',
    async (end) => {
      const { facts } = await streamedAnswer(
        stream({ input_tokens: 10, output_tokens: 7, cache_read_input_tokens: 5 }, end),
      );

      expect(facts.usage).toEqual({
        ...noUsage,
        freshInputTokens: 10,
        cachedInputTokens: 5,
        outputTokens: 7,
      });
    },
  );

  it('is known up to where it broke off', async () => {
    const { facts } = await streamedAnswer(stream({ input_tokens: 10, output_tokens: 1 }).slice(0, 1));

    expect(facts.usage).toEqual({ ...noUsage, freshInputTokens: 10, outputTokens: 1 });
  });
});
