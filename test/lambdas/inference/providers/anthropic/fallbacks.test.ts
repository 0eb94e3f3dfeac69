import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { BilledPart } from '#lambdas/pricing/usage.ts';
import {
  billingFor,
  counts,
  message,
  part,
  sumOf,
  textBlock,
  tokens,
} from '#test/support/providers/anthropic/billing.ts';
import { streamFor } from '#test/support/providers/anthropic/call.ts';
import { toMessageEvents } from '#test/support/providers/anthropic/message-events.ts';

describe('Fallbacks of Anthropic messages', () => {
  const hop = (category?: string | null, from = 'claude-fable-5', to = 'claude-opus-4-8') => ({
    type: 'fallback',
    from: { model: from },
    to: { model: to },
    ...(category !== undefined && { trigger: { type: 'refusal', category } }),
  });
  const attempt = (model: string, input: number, output: number) =>
    counts(input, output, { type: 'message', model });
  const served = (input: number, output: number, model = 'claude-opus-4-8') =>
    counts(input, output, { type: 'fallback_message', model });

  it.each<[string, { content: JsonObject[]; iterations: JsonObject[] }, BilledPart[]]>([
    [
      'only the model that served the message after a free refusal',
      {
        content: [hop('cyber'), textBlock],
        iterations: [attempt('claude-fable-5', 408, 0), served(412, 264)],
      },
      [part(null, tokens(412, 264))],
    ],
    [
      'no attempt without output whose refusal has no trigger',
      { content: [hop(), textBlock], iterations: [attempt('claude-fable-5', 408, 0), served(412, 264)] },
      [part(null, tokens(412, 264))],
    ],
    [
      'an attempt without output when its refusal is billed',
      {
        content: [hop('frontier_llm'), textBlock],
        iterations: [attempt('claude-fable-5', 408, 0), served(412, 264)],
      },
      [part(null, tokens(412, 264)), part('claude-fable-5', tokens(408, 0))],
    ],
    [
      'an attempt whose refusal names an alias of its model',
      {
        content: [hop('bio'), textBlock],
        iterations: [attempt('claude-fable-5-20260601', 408, 0), served(412, 264)],
      },
      [part(null, tokens(412, 264)), part('claude-fable-5-20260601', tokens(408, 0))],
    ],
    [
      'a later attempt whose refusal names an alias of its model',
      {
        content: [
          hop('cyber', 'claude-fable-5', 'claude-sonnet-5'),
          hop('bio', 'claude-sonnet-5'),
          textBlock,
        ],
        iterations: [
          attempt('claude-fable-5-20260601', 408, 0),
          attempt('claude-sonnet-5-20260701', 409, 0),
          served(412, 264),
        ],
      },
      [part(null, tokens(412, 264)), part('claude-sonnet-5-20260701', tokens(409, 0))],
    ],
    [
      'each attempt by its own refusal',
      {
        content: [
          hop('cyber', 'claude-fable-5', 'claude-sonnet-5'),
          hop('reasoning_extraction', 'claude-sonnet-5'),
          textBlock,
        ],
        iterations: [attempt('claude-fable-5', 408, 0), attempt('claude-sonnet-5', 409, 0), served(412, 264)],
      },
      [part(null, tokens(412, 264)), part('claude-sonnet-5', tokens(409, 0))],
    ],
    [
      'all rounds of an attempt with output',
      {
        content: [hop('cyber'), textBlock],
        iterations: [attempt('claude-fable-5', 400, 7), attempt('claude-fable-5', 408, 0), served(412, 264)],
      },
      [
        part(null, tokens(412, 264)),
        part('claude-fable-5', tokens(400, 7)),
        part('claude-fable-5', tokens(408, 0)),
      ],
    ],
    [
      'the earlier rounds of the model that served the message',
      {
        content: [hop('cyber'), textBlock],
        iterations: [attempt('claude-fable-5', 408, 0), attempt('claude-opus-4-8', 12, 64), served(400, 200)],
      },
      [part(null, tokens(12, 64)), part(null, tokens(400, 200))],
    ],
    [
      'a message that went straight to the fallback model',
      { content: [textBlock], iterations: [served(412, 264)] },
      [part(null, tokens(412, 264))],
    ],
    [
      'compaction at the requested model',
      {
        content: [hop('cyber'), textBlock],
        iterations: [
          counts(60385, 592, { type: 'compaction' }),
          attempt('claude-fable-5', 408, 0),
          served(412, 264),
        ],
      },
      [part(null, tokens(412, 264)), part('claude-fable-5', tokens(60385, 592))],
    ],
  ])('bills %s', async (_, { content, iterations }, parts) => {
    const response = message({ content, usage: { ...counts(412, 264), iterations } });

    expect(await billingFor(response, 'claude-fable-5')).toEqual({
      usage: sumOf(parts),
      billedParts: parts.length === 1 ? null : parts,
      reportedCostUsd: null,
    });
  });

  it('bills a message once when its round names the model by another name', async () => {
    const iterations = [attempt('claude-fable-5', 408, 0), served(412, 264, 'claude-opus-4-8-20260501')];
    const response = message({ content: [hop(), textBlock], usage: { ...counts(412, 264), iterations } });

    expect(await billingFor(response, 'claude-fable-5')).toEqual({
      usage: tokens(412, 264),
      billedParts: [part('claude-opus-4-8-20260501', tokens(412, 264))],
      reportedCostUsd: null,
    });
  });

  it('names what is missing of an unreadable attempt', async () => {
    const iterations = [{ ...attempt('claude-fable-5', 408, 0), output_tokens: '0' }, served(412, 264)];
    const response = message({ content: [hop(), textBlock], usage: { ...counts(412, 264), iterations } });

    expect(await billingFor(response, 'claude-fable-5')).toMatchObject({
      usage: { missing: ['output_tokens'] },
      billedParts: [
        part(null, tokens(412, 264)),
        part('claude-fable-5', tokens(408, 0, { missing: ['output_tokens'] })),
      ],
    });
  });

  it('names the model that served the message when a stream starts with another model', async () => {
    const iterations = [attempt('claude-fable-5', 408, 21), served(430, 264)];
    const [start, ...events] = toMessageEvents(
      message({ content: [textBlock, hop('cyber'), textBlock], usage: { ...counts(430, 264), iterations } }),
    );
    const requested = { ...start, message: { model: 'claude-fable-5', usage: counts(408, 1) } };

    const { facts } = await streamFor([requested, ...events], { model: 'claude-fable-5' });

    expect(facts.responseModel).toBe('claude-opus-4-8');
    expect(facts.billedParts).toEqual([
      part(null, tokens(430, 264)),
      part('claude-fable-5', tokens(408, 21)),
    ]);
  });
});
