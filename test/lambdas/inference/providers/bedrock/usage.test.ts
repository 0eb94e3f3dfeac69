import { describe, expect, it } from 'vitest';
import type { ResponseFacts } from '#lambdas/inference/completion/facts.ts';
import { noUsage, type TokenUsage, type UsageKind } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { callBedrock } from '#test/support/providers/bedrock/call.ts';
import { bedrockFrame, bedrockStreamType } from '#test/support/providers/bedrock/event-stream.ts';
import { readBody, readStream } from '#test/support/providers/provider-call.ts';

type Fields = Record<string, unknown>;

/** Expects the completion and the stream to have the same facts. `metadata` are fields beside the usage. */
async function factsFor(
  usage: unknown,
  metadata: Fields = {},
  split = (bytes: Buffer): Buffer[] => [bytes],
): Promise<ResponseFacts> {
  const body = {
    output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
    stopReason: 'end_turn',
  };
  const events = [
    { messageStart: { role: 'assistant' } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hi' } } },
    { messageStop: { stopReason: 'end_turn' } },
    { metadata: { usage, metrics: { latencyMs: 300 }, ...metadata } },
  ];
  const { facts } = await readBody({
    response: await callBedrock({}, { body: { ...body, usage, ...metadata } }),
  });
  const streamed = await readStream({
    response: await callBedrock(
      { stream: true },
      {
        body: split(Buffer.concat(events.map(bedrockFrame))),
        headers: { 'content-type': bedrockStreamType },
      },
    ),
  });
  expect(streamed.facts).toEqual({ ...facts, started: true, finished: true, ended: true, error: null });
  return facts;
}

describe('Bedrock usage', () => {
  it.each<[string, Fields, Partial<TokenUsage>]>([
    ['input tokens only', { inputTokens: 5 }, { freshInputTokens: 5, missing: ['output_tokens'] }],
    [
      'cache writes without details',
      { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheWriteInputTokens: 4 },
      { freshInputTokens: 1, outputTokens: 2, cachedInputTokens: 3, cacheWriteInputTokens: 4 },
    ],
    [
      'cache writes for five minutes and for an hour',
      {
        inputTokens: 10,
        outputTokens: 100,
        totalTokens: 6110,
        cacheReadInputTokens: 1000,
        cacheWriteInputTokens: 5000,
        cacheDetails: [
          { ttl: '5m', inputTokens: 2000 },
          { ttl: '1h', inputTokens: 3000 },
        ],
      },
      {
        freshInputTokens: 10,
        outputTokens: 100,
        cachedInputTokens: 1000,
        cacheWriteInputTokens: 2000,
        cacheWrite1hInputTokens: 3000,
      },
    ],
    [
      'cache write details without a total, also for another time',
      {
        inputTokens: 1,
        outputTokens: 2,
        cacheDetails: [
          { ttl: '1h', inputTokens: 5 },
          { ttl: '5m', inputTokens: 6 },
          { ttl: '30m', inputTokens: 7 },
        ],
      },
      { freshInputTokens: 1, outputTokens: 2, cacheWriteInputTokens: 13, cacheWrite1hInputTokens: 5 },
    ],
    [
      'cache write details that exceed their total',
      {
        inputTokens: 1,
        outputTokens: 0,
        cacheWriteInputTokens: 7,
        cacheDetails: [{ ttl: '1h', inputTokens: 9 }],
      },
      { freshInputTokens: 1, cacheWrite1hInputTokens: 7 },
    ],
    [
      'input that includes cached tokens according to the total',
      {
        inputTokens: 4995,
        outputTokens: 19,
        totalTokens: 5014,
        cacheReadInputTokens: 3000,
        cacheWriteInputTokens: 1993,
      },
      { freshInputTokens: 2, outputTokens: 19, cachedInputTokens: 3000, cacheWriteInputTokens: 1993 },
    ],
    [
      'input that may include cached tokens, but does not according to the total',
      {
        inputTokens: 4995,
        outputTokens: 19,
        totalTokens: 10_007,
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 4993,
      },
      { freshInputTokens: 4995, outputTokens: 19, cacheWriteInputTokens: 4993 },
    ],
    [
      'input that excludes cached tokens according to the total',
      {
        inputTokens: 2,
        outputTokens: 19,
        totalTokens: 5014,
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 4993,
      },
      { freshInputTokens: 2, outputTokens: 19, cacheWriteInputTokens: 4993 },
    ],
    [
      'fewer input tokens than cached tokens, whatever the total',
      { inputTokens: 3, outputTokens: 4, totalTokens: 7, cacheReadInputTokens: 1000 },
      { freshInputTokens: 3, outputTokens: 4, cachedInputTokens: 1000 },
    ],
    [
      'a total that fits neither way',
      { inputTokens: 50, outputTokens: 4, totalTokens: 1, cacheReadInputTokens: 10 },
      { freshInputTokens: 50, outputTokens: 4, cachedInputTokens: 10 },
    ],
  ])('reads usage with %s', async (_case, reported, usage) => {
    expect((await factsFor(reported)).usage).toEqual({ ...noUsage, ...usage });
  });

  it.each<[UsageKind, Fields, Partial<TokenUsage>]>([
    ['input_tokens', { inputTokens: '5', outputTokens: 2 }, { outputTokens: 2 }],
    ['output_tokens', { inputTokens: 5, outputTokens: -2 }, { freshInputTokens: 5 }],
    [
      'cached_input_tokens',
      { inputTokens: 5, outputTokens: 2, cacheReadInputTokens: 1.5 },
      { freshInputTokens: 5, outputTokens: 2 },
    ],
    [
      'cache_write_input_tokens',
      { inputTokens: 5, outputTokens: 2, cacheDetails: [{ ttl: '1h', inputTokens: 1e300 }] },
      { freshInputTokens: 5, outputTokens: 2 },
    ],
  ])('names %s as missing when their count cannot be read', async (kind, reported, usage) => {
    expect((await factsFor(reported)).usage).toEqual({ ...noUsage, ...usage, missing: [kind] });
  });

  it.each([[undefined], [null], ['x'], [{}], [{ cacheReadInputTokens: 3 }], [{ inputTokens: {} }]])(
    'returns null for the usage %j',
    async (reported) => {
      expect((await factsFor(reported)).usage).toBeNull();
    },
  );

  it.each<[unknown, string | null]>([
    [{ type: 'flex' }, 'flex'],
    [{ type: 'priority' }, 'priority'],
    [{ type: 'default' }, 'default'],
    [{ type: '' }, null],
    [{ type: 5 }, null],
    ['flex', null],
    [undefined, null],
  ])('reads the service tier %j as %j', async (serviceTier, expected) => {
    const facts = await factsFor({ inputTokens: 1, outputTokens: 2, totalTokens: 3 }, { serviceTier });

    expect(facts).toMatchObject({ serviceTier: expected, usage: { freshInputTokens: 1, outputTokens: 2 } });
  });

  it('reads the model that a prompt router chose', async () => {
    const invokedModelId = 'us.amazon.nova-pro-v1:0';
    const facts = await factsFor({ inputTokens: 1 }, { trace: { promptRouter: { invokedModelId } } });

    expect(facts.responseModel).toBe(invokedModelId);
  });

  it('has the same facts wherever the bytes of a stream are split', async () => {
    const count = fc.oneof(fc.nat(1000), fc.constantFrom(undefined, null, 'x', -1));
    const usage = fc.record({
      inputTokens: count,
      outputTokens: count,
      totalTokens: count,
      cacheReadInputTokens: count,
      cacheWriteInputTokens: count,
      cacheDetails: fc.array(fc.record({ ttl: fc.constantFrom('5m', '1h'), inputTokens: count }), {
        maxLength: 3,
      }),
    });
    const serviceTier = fc.record({ type: fc.constantFrom('flex', 'default', '') });
    await fc.assert(
      fc.asyncProperty(usage, serviceTier, splitAnywhere, async (reported, tier, split) => {
        const facts = await factsFor(reported, { serviceTier: tier }, split);

        expect(facts.serviceTier).toBe(tier.type || null);
      }),
    );
  });
});
