import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage, type TokenUsage, type UsageKind, unknownModel } from '#lambdas/pricing/usage.ts';
import { billingFor, counts, message, tokens } from '#test/support/providers/anthropic/billing.ts';
import { completionFor, streamFor } from '#test/support/providers/anthropic/call.ts';
import { toMessageEvents } from '#test/support/providers/anthropic/message-events.ts';

async function usageFor(usage: unknown) {
  return (await completionFor(message({ usage }))).facts.usage;
}

describe('Token counts of Anthropic messages', () => {
  it('splits tokens into disjoint buckets', async () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 3_000,
      cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
      output_tokens: 40,
      output_tokens_details: { thinking_tokens: 30 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
    };

    expect(await billingFor(message({ usage }))).toEqual({
      usage: {
        ...noUsage,
        freshInputTokens: 10,
        cachedInputTokens: 200,
        cacheWriteInputTokens: 1_000,
        cacheWrite1hInputTokens: 2_000,
        outputTokens: 40,
        reasoningTokens: 30,
        webSearches: 2,
      },
      billedParts: null,
      reportedCostUsd: null,
    });
  });

  it('counts at most the output as reasoning', async () => {
    const usage = { ...counts(5, 3), output_tokens_details: { thinking_tokens: 4 } };

    expect(await usageFor(usage)).toEqual(tokens(5, 3, { reasoningTokens: 3 }));
  });

  it.each([
    ['only a total', { cache_creation_input_tokens: 7 }, [7, 0]],
    ['only a total, with null details', { cache_creation_input_tokens: 7, cache_creation: null }, [7, 0]],
    [
      'only details',
      { cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 } },
      [3, 4],
    ],
    [
      'a smaller total than the details',
      { cache_creation_input_tokens: 7, cache_creation: { ephemeral_1h_input_tokens: 9 } },
      [0, 7],
    ],
    [
      'a larger total than the details, as in a stream of several rounds',
      {
        cache_creation_input_tokens: 300,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      },
      [100, 200],
    ],
    ['nulls', { cache_creation_input_tokens: null, cache_creation: null }, [0, 0]],
  ])('reads cache writes with %s', async (_, reported, expected) => {
    const actual = await usageFor({ input_tokens: 1, output_tokens: 1, ...reported });

    expect([actual?.cacheWriteInputTokens, actual?.cacheWrite1hInputTokens]).toEqual(expected);
  });

  it.each([undefined, null, [], {}, { input_tokens: null }, { input_tokens: '9', output_tokens: -1 }])(
    'returns null for usage %j',
    async (usage) => {
      expect(await usageFor(usage)).toBeNull();
    },
  );

  const bothKinds: UsageKind[] = ['input_tokens', 'output_tokens'];

  it.each<[object, UsageKind[]]>([
    [{ input_tokens: '9' }, ['input_tokens']],
    [{ output_tokens: 1.5 }, ['output_tokens']],
    [{ cache_read_input_tokens: -1 }, ['cached_input_tokens']],
    [{ cache_creation: { ephemeral_1h_input_tokens: 1e12 } }, ['cache_write_input_tokens']],
    [{ output_tokens_details: { thinking_tokens: '1' } }, ['reasoning_tokens']],
    [{ server_tool_use: { web_search_requests: '1' } }, ['web_searches']],
    [{ iterations: [counts(5, 3, { type: 'message', input_tokens: '5' })] }, ['input_tokens']],
    [
      { iterations: [counts(5, 3, { type: 'message' }), { type: 'compaction', output_tokens: -1 }] },
      bothKinds,
    ],
    [{ iterations: [counts(5, 3, { type: 'message' }), { type: 'compaction' }] }, bothKinds],
    [{ iterations: [counts(5, 3, { type: 'message' }), 'text'] }, bothKinds],
    [
      { server_tool_use: { web_search_requests: '1' }, iterations: [counts(5, 3, { type: 'message' })] },
      ['web_searches'],
    ],
    [{ iterations: 'text' }, bothKinds],
  ])('names the kinds that cannot be read in %j', async (unreadable, missing) => {
    const { usage, billedParts } = await billingFor(message({ usage: { ...counts(5, 3), ...unreadable } }));

    expect(usage?.missing).toEqual(missing);
    expect(billedParts?.flatMap(({ usage }) => usage.missing ?? []) ?? missing).toEqual(missing);
  });

  it('bills a round that does not name its model at an unknown price', async () => {
    const iterations = [counts(5, 3, { type: 'message' }), counts(1, 1, { type: 'advisor_message' })];
    const { billedParts } = await billingFor(message({ usage: { ...counts(5, 3), iterations } }));

    expect(billedParts?.map(({ model }) => model)).toEqual([null, unknownModel]);
  });
});

describe('Token counts of Anthropic streams', () => {
  const stream = (first: unknown, ...later: unknown[]) => [
    { type: 'message_start', message: message({ usage: first, content: [], stop_reason: null }) },
    ...later.map((usage) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })),
    { type: 'message_stop' },
  ];

  it('keeps the highest usage count of each field', async () => {
    const { facts, usage } = await streamFor(
      stream(
        { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 5 },
        { output_tokens: 20 },
        { input_tokens: 900, output_tokens: 40, server_tool_use: { web_search_requests: 1 } },
      ),
    );

    expect(facts.usage).toEqual(tokens(900, 40, { cachedInputTokens: 5, webSearches: 1 }));
    expect(usage).toMatchObject({ prompt_tokens: 905, completion_tokens: 40, total_tokens: 945 });
  });

  it.each([null, undefined, { input_tokens: null, cache_read_input_tokens: null, output_tokens: 7 }])(
    'keeps the usage of message_start when message_delta has %j',
    async (end) => {
      const { facts } = await streamFor(
        stream({ input_tokens: 10, output_tokens: 7, cache_read_input_tokens: 5 }, end),
      );

      expect(facts.usage).toEqual(tokens(10, 7, { cachedInputTokens: 5 }));
    },
  );

  it.each<[string, JsonObject, JsonObject, TokenUsage]>([
    [
      'splits off the cached input, which the start counts as input',
      { input_tokens: 8834, output_tokens: 0 },
      { input_tokens: 18, cache_read_input_tokens: 8831, output_tokens: 426 },
      tokens(18, 426, { cachedInputTokens: 8831 }),
    ],
    [
      'shows that all of the input is cached',
      { input_tokens: 9, output_tokens: 0 },
      { input_tokens: 0, cache_read_input_tokens: 9, output_tokens: 3 },
      tokens(0, 3, { cachedInputTokens: 9 }),
    ],
    [
      'lists the rounds, of which the start counts a compaction',
      { input_tokens: 60_385, output_tokens: 5 },
      { ...counts(682, 3), iterations: [counts(682, 3, { type: 'message' })] },
      tokens(682, 3),
    ],
  ])('do not decrease when the end %s', async (_, start, end, usage) => {
    expect((await streamFor(stream(start, end))).facts).toMatchObject({ usage, usageWarnings: [] });
  });

  it.each<[string, JsonObject, JsonObject, TokenUsage]>([
    ['output', { input_tokens: 9, output_tokens: 5 }, { output_tokens: 3 }, tokens(9, 5)],
    ['input', { input_tokens: 9, output_tokens: 1 }, { input_tokens: 8, output_tokens: 5 }, tokens(9, 5)],
    [
      'cached input',
      { input_tokens: 9, output_tokens: 1, cache_read_input_tokens: 90 },
      { input_tokens: 9, output_tokens: 5, cache_read_input_tokens: 40 },
      tokens(9, 5, { cachedInputTokens: 90 }),
    ],
  ])('decrease when the end has less %s, and keep the higher count', async (_, start, end, usage) => {
    expect((await streamFor(stream(start, end))).facts).toMatchObject({
      usage,
      usageWarnings: ['counts_decreased'],
    });
  });

  it('reads the usage of a truncated stream', async () => {
    const { facts } = await streamFor(stream({ input_tokens: 10, output_tokens: 1 }).slice(0, 1));

    expect(facts.usage).toEqual(tokens(10, 1));
  });
});

describe('Price context of Anthropic messages', () => {
  it('reads service tier, speed and geography from the usage', async () => {
    const usage = { ...counts(5, 3), service_tier: 'priority', speed: 'fast', inference_geo: 'us' };
    const context = { serviceTier: 'priority', speed: 'fast', inferenceGeo: 'us' };

    expect((await completionFor(message({ usage }))).facts).toMatchObject(context);
    expect((await streamFor(toMessageEvents(message({ usage })))).facts).toMatchObject(context);
  });

  it.each(['', null, undefined, 1])(
    'reads %j as an unknown service tier, speed and geography',
    async (value) => {
      const usage = { ...counts(5, 3), service_tier: value, speed: value, inference_geo: value };

      expect((await completionFor(message({ usage }))).facts).toMatchObject({
        serviceTier: null,
        speed: null,
        inferenceGeo: null,
      });
    },
  );
});
