/** The final status and the usage of a response. `ordered-output/` has the errors, which are the same in other formats. */
import { describe, expect, it } from 'vitest';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { WriteScript } from '#test/support/messages/write.ts';
import { itemProblems } from '#test/support/responses/item-events.ts';
import { openResponsesProblems } from '#test/support/responses/open-responses.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import { withoutTime, writeStream, writeWhole } from '#test/support/responses/write.ts';

const say = (choice: ChoiceSink) => choice.text('Hi');
const refuse = (choice: ChoiceSink) => choice.refusal('I cannot');
const look = (choice: ChoiceSink) => choice.toolCall({ id: 'a', name: 'look' }).arguments('{}');
const nothing = () => {};

describe('The status', () => {
  it.each<[write: (choice: ChoiceSink) => void, word: string, reason: string | null]>([
    [say, 'stop', null],
    [say, 'STOP', null],
    [say, 'pause_turn', null],
    [say, 'stop_sequence', null],
    [say, 'some new word', null],
    [nothing, 'stop', null],
    [look, 'stop', null],
    [look, 'tool_calls', null],
    [look, 'function_call', null],
    [refuse, 'stop', null],
    [say, 'length', 'max_output_tokens'],
    [say, 'MAX_TOKENS', 'max_output_tokens'],
    [say, 'model_context_window_exceeded', 'max_output_tokens'],
    [look, 'length', 'max_output_tokens'],
    [nothing, 'length', 'max_output_tokens'],
    [say, 'content_filter', 'content_filter'],
    [say, 'SAFETY', 'content_filter'],
    [refuse, 'content_filter', 'content_filter'],
    [nothing, 'guardrail_intervened', 'content_filter'],
  ])('of %o and %s is complete, or incomplete by %s', (write, word, reason) => {
    const script: WriteScript = (choice) => {
      choice.reasoning('Hm');
      write(choice);
      choice.finish(word);
    };

    const { response } = writeWhole(script);
    const stream = writeStream(script);

    const status = reason === null ? 'completed' : 'incomplete';
    expect(response).toMatchObject({
      status,
      incomplete_details: reason === null ? null : { reason },
      error: null,
      completed_at: reason === null ? expect.any(Number) : null,
    });
    expect(stream.events.at(-1)?.type).toBe(`response.${status}`);
    expect(withoutTime(stream.response)).toEqual(withoutTime(response));
    expect(stream.output.map((item) => item.status)).toEqual([
      ...stream.output.slice(1).map(() => 'completed'),
      ...(reason === null ? ['completed'] : ['incomplete']),
    ]);
    expect([streamProblems(stream.text), itemProblems(stream.events)]).toEqual([[], []]);
    expect([responseProblems(response), openResponsesProblems(response)]).toEqual([[], []]);
  });
});

const counted = {
  ...noUsage,
  freshInputTokens: 10,
  cachedInputTokens: 20,
  cacheWriteInputTokens: 3,
  cacheWrite1hInputTokens: 4,
  outputTokens: 50,
  reasoningTokens: 6,
};
const counts = {
  input_tokens: 37,
  input_tokens_details: { cached_tokens: 20, cache_write_tokens: 7 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 6 },
  total_tokens: 87,
};
const estimated = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 45,
};

describe('Usage', () => {
  it.each([
    ['early', counts],
    ['late', counts],
    ['never', estimated],
  ] as const)('that the provider reports %s is at the end', (when, usage) => {
    const script: WriteScript = (choice, writer) => {
      const bill = () => writer.billing({ usage: counted });
      if (when === 'early') bill();
      choice.reasoning('Hm');
      choice.text('é 🙂 Hi');
      choice.toolCall({ id: 'a', name: 'look' }).arguments('{"n":1}');
      choice.finish('stop');
      if (when === 'late') bill();
    };
    const { events, response, text } = writeStream(script);
    expect(events.slice(0, 2)).toMatchObject([{ response: { usage: null } }, { response: { usage: null } }]);
    expect(response.usage).toEqual(usage);
    expect(withoutTime(writeWhole(script).response)).toEqual(withoutTime(response));
    expect(streamProblems(text)).toEqual([]);
  });

  it.each([
    ['default', 'default'],
    ['STANDARD', 'default'],
    ['Priority', 'priority'],
    ['flex', 'flex'],
    ['batch', 'default'],
    [null, 'default'],
  ])('of the service tier %s is that of %s', (serviceTier, service_tier) => {
    const { response } = writeWhole((choice, writer) => {
      writer.billing({ serviceTier });
      choice.finish('stop');
    });
    expect(response.service_tier).toBe(service_tier);
    expect(responseProblems(response)).toEqual([]);
  });
});
