import { expect, it } from 'vitest';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { message, textBlock } from '#test/support/providers/anthropic/billing.ts';
import { completionFor, streamFor } from '#test/support/providers/anthropic/call.ts';
import { anthropicEvent, toMessageEvents } from '#test/support/providers/anthropic/message-events.ts';

const count = fc.nat({ max: 1_000_000 });
const models = fc.constantFrom('claude-fable-5', 'claude-opus-4-8', 'claude-sonnet-5');

const anyCounts = fc.record({
  input_tokens: count,
  output_tokens: fc.oneof(fc.constant(0), count),
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
});

const anyRound = fc
  .record({
    round: anyCounts,
    type: fc.constantFrom('message', 'fallback_message', 'compaction', 'advisor_message'),
    model: models,
  })
  .map(({ round, ...names }) => ({ ...round, ...names }));

const anyMessage = fc
  .record({
    totals: anyCounts,
    iterations: fc.array(anyRound, { maxLength: 6 }),
    searches: fc.nat({ max: 3 }),
    thinking: count,
    content: fc.array(
      fc.oneof(
        fc.constant(textBlock),
        fc.record({
          type: fc.constant('fallback'),
          from: fc.record({ model: models }),
          to: fc.constant({ model: 'claude-opus-4-8' }),
          trigger: fc.record({ category: fc.constantFrom('cyber', 'bio', null) }),
        }),
      ),
      { maxLength: 3 },
    ),
    stop_reason: fc.constantFrom('end_turn', 'refusal'),
  })
  .map(({ totals, iterations, searches, thinking, ...fields }) =>
    message({
      ...fields,
      usage: {
        ...totals,
        iterations,
        service_tier: 'standard',
        server_tool_use: { web_search_requests: searches },
        output_tokens_details: { thinking_tokens: thinking },
      },
    }),
  );

it('reads the same billing facts from a stream, wherever the bytes are split', async () => {
  await fc.assert(
    fc.asyncProperty(anyMessage, splitAnywhere, async (response, split) => {
      const request = { model: 'claude-fable-5' };
      const { facts } = await completionFor(response, request);

      const bytes = Buffer.from(toMessageEvents(response).map(anthropicEvent).join(''));
      const streamed = await streamFor(split(bytes), request);

      expect(streamed.facts).toEqual({
        ...facts,
        started: true,
        finished: true,
        ended: true,
        error: null,
      });
    }),
  );
});
