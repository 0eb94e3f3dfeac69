/** The final stop reason of a message. `ordered-output/` has the errors, which are the same in other formats. */
import { describe, expect, it } from 'vitest';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import { messageProblems, streamProblems } from '#test/support/messages/validate.ts';
import { type WriteScript, writeStream, writeWhole } from '#test/support/messages/write.ts';

const say = (choice: ChoiceSink) => choice.text('Hi');
const refuse = (choice: ChoiceSink) => choice.refusal('I cannot');
const look = (choice: ChoiceSink) => choice.toolCall({ id: 'a', name: 'look' }).arguments('{}');
const named = (sequence: string) => (choice: ChoiceSink) => {
  choice.text('Hi');
  choice.stopSequence(sequence);
};

describe('The stop reason', () => {
  it.each<
    [write: (choice: ChoiceSink) => void, word: string, stopReason: string, stopSequence: string | null]
  >([
    [say, 'stop', 'end_turn', null],
    [say, 'STOP', 'end_turn', null],
    [say, 'pause_turn', 'end_turn', null],
    [say, 'tool_calls', 'end_turn', null],
    [say, 'function_call', 'end_turn', null],
    [say, 'some new word', 'end_turn', null],
    [look, 'stop', 'tool_use', null],
    [look, 'tool_calls', 'tool_use', null],
    [look, 'function_call', 'tool_use', null],
    [look, 'length', 'max_tokens', null],
    [say, 'length', 'max_tokens', null],
    [say, 'MAX_TOKENS', 'max_tokens', null],
    [say, 'aborted', 'max_tokens', null],
    [say, 'model_context_window_exceeded', 'model_context_window_exceeded', null],
    [say, 'model_length', 'model_context_window_exceeded', null],
    [say, 'content_filter', 'refusal', null],
    [say, 'SAFETY', 'refusal', null],
    [say, 'guardrail_intervened', 'refusal', null],
    [refuse, 'stop', 'refusal', null],
    [refuse, 'content_filter', 'refusal', null],
    [refuse, 'length', 'max_tokens', null],
    [named('END'), 'stop', 'stop_sequence', 'END'],
    [named('END'), 'stop_sequence', 'stop_sequence', 'END'],
    [named('END'), 'length', 'max_tokens', null],
    // vLLM names also stop tokens that the request does not have.
    [named('<|im_end|>'), 'stop', 'end_turn', null],
    [say, 'stop_sequence', 'stop_sequence', null],
  ])('of %o and %s is %s with the sequence %s', (write, word, stop_reason, stop_sequence) => {
    const script: WriteScript = (choice) => {
      write(choice);
      choice.finish(word);
    };
    const options = { stopSequences: ['END', 'HALT'] };
    const stop_details =
      stop_reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null;

    const { message } = writeWhole(script, options);
    const stream = writeStream(script, options);

    const end = { stop_reason, stop_sequence, stop_details };
    expect(message).toMatchObject(end);
    expect(stream.events.at(-2)).toMatchObject({ delta: end });
    expect([streamProblems(stream.text), messageProblems(message)]).toEqual([[], []]);
  });

  it.each([
    [['END'], 'END'],
    [[], null],
  ])('names the sequence that must have been found of %j', (stopSequences, stop_sequence) => {
    const script: WriteScript = (choice) => {
      choice.text('Hi');
      choice.finish('stop_sequence');
    };
    expect(writeWhole(script, { stopSequences }).message).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence,
    });
  });
});
