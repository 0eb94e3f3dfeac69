import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { BilledPart, TokenUsage } from '#lambdas/pricing/usage.ts';
import {
  billingFor,
  counts,
  message,
  part,
  sumOf,
  tokens,
} from '#test/support/providers/anthropic/billing.ts';
import { completionFor } from '#test/support/providers/anthropic/call.ts';

describe('Rounds of Anthropic messages', () => {
  const compaction = (input: number, output: number, overrides: JsonObject = {}) =>
    counts(input, output, { type: 'compaction', ...overrides });
  const round = (input: number, output: number, overrides: JsonObject = {}) =>
    counts(input, output, { type: 'message', ...overrides });
  const advice = (input: number, output: number, model = 'claude-opus-4-7') =>
    counts(input, output, { type: 'advisor_message', model });

  it.each<[string, JsonObject, BilledPart[]]>([
    [
      'compaction beside the message',
      { ...counts(682, 1320), iterations: [compaction(60385, 592), round(682, 1320)] },
      [part(null, tokens(682, 1320)), part(null, tokens(60385, 592))],
    ],
    [
      'the cache tokens of compaction',
      {
        ...counts(300, 20, { cache_read_input_tokens: 900 }),
        iterations: [
          compaction(5, 500, {
            cache_read_input_tokens: 150_000,
            cache_creation_input_tokens: 2_500,
            cache_creation: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 2_000 },
          }),
          round(300, 20, { cache_read_input_tokens: 900 }),
        ],
      },
      [
        part(null, tokens(300, 20, { cachedInputTokens: 900 })),
        part(
          null,
          tokens(5, 500, {
            cachedInputTokens: 150_000,
            cacheWriteInputTokens: 500,
            cacheWrite1hInputTokens: 2_000,
          }),
        ),
      ],
    ],
    [
      'an advisor round at the model of the advisor',
      { ...counts(2414, 3200), iterations: [round(1051, 35), advice(2728, 874), round(1363, 3165)] },
      [
        part(null, tokens(1051, 35)),
        part(null, tokens(1363, 3165)),
        part('claude-opus-4-7', tokens(2728, 874)),
      ],
    ],
    [
      'an advisor round at the model of the response',
      { ...counts(10, 20), iterations: [round(10, 20), advice(30, 40, 'claude-opus-4-8')] },
      [part(null, tokens(10, 20)), part(null, tokens(30, 40))],
    ],
    [
      'a round of an unknown kind at its model',
      {
        ...counts(10, 20),
        iterations: [round(10, 20), counts(1, 2, { type: 'critic', model: 'claude-haiku-5-5' })],
      },
      [part(null, tokens(10, 20)), part('claude-haiku-5-5', tokens(1, 2))],
    ],
    [
      'web searches once and reasoning within the output of each round',
      {
        ...counts(90_110, 300),
        output_tokens_details: { thinking_tokens: 130 },
        server_tool_use: { web_search_requests: 3 },
        iterations: [round(110, 100), round(90_000, 200)],
      },
      [
        part(null, tokens(110, 100, { reasoningTokens: 100, webSearches: 3 })),
        part(null, tokens(90_000, 200, { reasoningTokens: 30 })),
      ],
    ],
    [
      'the totals when the rounds of the message contradict them',
      {
        ...counts(682, 1320, { cache_read_input_tokens: 40 }),
        output_tokens_details: { thinking_tokens: 9 },
        iterations: [round(682, 1320), compaction(60385, 592), advice(2728, 874)],
      },
      [
        part(null, tokens(682, 1320, { cachedInputTokens: 40, reasoningTokens: 9 })),
        part(null, tokens(60385, 592)),
        part('claude-opus-4-7', tokens(2728, 874)),
      ],
    ],
  ])('bills %s', async (_, usage, parts) => {
    const { usage: total, billedParts, reportedCostUsd } = await billingFor(message({ usage }));

    expect(billedParts).toEqual(parts);
    expect(total).toEqual(sumOf(parts));
    expect(reportedCostUsd).toBeNull();
  });

  it.each<[string, JsonObject, TokenUsage]>([
    ['a single round', { iterations: [round(5, 3)] }, tokens(5, 3)],
    [
      'rounds that name the model of the response',
      { iterations: [round(5, 3, { model: 'claude-opus-4-8' })] },
      tokens(5, 3),
    ],
    ['rounds that are not listed', { iterations: null }, tokens(5, 3)],
    ['an empty list of rounds', { iterations: [] }, tokens(5, 3)],
    [
      'a response that pauses after compaction, which has no message',
      { iterations: [compaction(60385, 592)] },
      tokens(60385, 592),
    ],
  ])('bills without parts %s', async (_, rounds, usage) => {
    expect(await billingFor(message({ usage: { ...counts(5, 3), ...rounds } }))).toEqual({
      usage,
      billedParts: null,
      reportedCostUsd: null,
    });
  });

  it('shows the sum of all rounds as the usage of the translated response', async () => {
    const usage = { ...counts(682, 1320), iterations: [compaction(60385, 592), round(682, 1320)] };

    expect((await completionFor(message({ usage }))).usage).toMatchObject({
      prompt_tokens: 61_067,
      completion_tokens: 1_912,
      total_tokens: 62_979,
    });
  });

  it('is incomplete when more rounds are listed than a message can have', async () => {
    const iterations = [round(5, 3), ...Array.from({ length: 1_000 }, () => compaction(1, 1))];

    const { usage } = await billingFor(message({ usage: { ...counts(5, 3), iterations } }));

    expect(usage).toEqual(tokens(5, 3, { missing: ['input_tokens', 'output_tokens'] }));
  });

  it('bills a redeemed fallback credit by the counts, which contain it', async () => {
    const usage = {
      ...counts(50, 300, { cache_read_input_tokens: 20_000 }),
      fallback_credit: { status: { type: 'redeemed' } },
    };

    expect(await billingFor(message({ usage }))).toMatchObject({
      usage: tokens(50, 300, { cachedInputTokens: 20_000 }),
      billedParts: null,
    });
  });
});
