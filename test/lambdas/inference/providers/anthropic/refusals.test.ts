import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import {
  type Billing,
  billingFor,
  counts,
  message,
  part,
  textBlock,
  tokens,
} from '#test/support/providers/anthropic/billing.ts';

describe('Refusals of Anthropic messages', () => {
  const refusal = (category: string | null, fields: JsonObject = {}) =>
    message({
      content: [],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category, explanation: 'It may do harm.' },
      usage: counts(18, 5),
      ...fields,
    });

  it.each([
    ['cyber', '0'],
    ['general_harms', '0'],
    ['category_of_the_future', '0'],
    [null, '0'],
    ['bio', null],
    ['frontier_llm', null],
    ['reasoning_extraction', null],
  ])(
    'reports the cost of a refusal of category %s before any output as %s',
    async (category, reportedCostUsd) => {
      expect(await billingFor(refusal(category))).toEqual({
        usage: tokens(18, 5),
        billedParts: null,
        reportedCostUsd,
      });
    },
  );

  it('bills a refusal after some output', async () => {
    expect(await billingFor(refusal('cyber', { content: [textBlock] }))).toMatchObject({
      usage: tokens(18, 5),
      reportedCostUsd: null,
    });
  });

  const summary = { type: 'compaction', content: 'Summary' };
  const hop = {
    type: 'fallback',
    from: { model: 'claude-fable-5' },
    to: { model: 'claude-opus-4-8' },
    trigger: { type: 'refusal', category: 'bio' },
  };
  const declined = counts(408, 0, { type: 'message', model: 'claude-fable-5' });
  const last = counts(18, 0, { type: 'fallback_message', model: 'claude-opus-4-8' });

  it.each<[string, JsonObject[], JsonObject, Billing]>([
    [
      'compaction alone',
      [summary],
      {
        iterations: [counts(60385, 592, { type: 'compaction' }), counts(18, 0, { type: 'message' })],
      },
      { usage: tokens(60385, 592), billedParts: null, reportedCostUsd: null },
    ],
    [
      'an earlier attempt whose refusal is billed',
      [hop],
      { iterations: [declined, last] },
      {
        usage: tokens(408, 0),
        billedParts: [part('claude-fable-5', tokens(408, 0))],
        reportedCostUsd: null,
      },
    ],
    [
      'nothing when all attempts are free',
      [{ ...hop, trigger: null }],
      { iterations: [declined, last] },
      { usage: tokens(18, 0), billedParts: null, reportedCostUsd: '0' },
    ],
    [
      'the output of an earlier attempt',
      [textBlock, hop],
      { iterations: [{ ...declined, output_tokens: 33 }, last] },
      {
        usage: tokens(408, 33),
        billedParts: [part('claude-fable-5', tokens(408, 33))],
        reportedCostUsd: null,
      },
    ],
    [
      'web searches alone',
      [],
      { server_tool_use: { web_search_requests: 2 } },
      { usage: { ...noUsage, webSearches: 2 }, billedParts: null, reportedCostUsd: null },
    ],
  ])('bills %s when the message is refused before any output', async (_, content, usage, expected) => {
    const response = refusal('cyber', { content, usage: { ...counts(18, 0), ...usage } });

    expect(await billingFor(response, 'claude-fable-5')).toEqual(expected);
  });
});
