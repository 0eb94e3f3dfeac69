import { describe, expect, it } from 'vitest';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { filterObjects, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { messageProblems, streamProblems } from '#test/support/messages/validate.ts';
import {
  startMessagesWriter,
  type WriteScript,
  writeStream,
  writeWhole,
} from '#test/support/messages/write.ts';

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

  it('is that of a whole response that has no word for it', () => {
    for (const stream of [true, false]) {
      const writer = startMessagesWriter({ stream });
      writer.choice(0).text('Hi');
      writer.endWhole();
      expect(writer.take().toString()).toContain('"stop_reason":"end_turn"');
    }
  });
});

/** Whether anything says that the message is whole. */
const hasEnd = (text: string) => /message_delta|message_stop|stop_reason":"/.test(text);
const error = new GatewayError('provider_error', { message: 'Broken' });

describe('A response that is not finished', () => {
  it('has no end', () => {
    const { text, events, facts } = writeStream(say);
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
    ]);
    expect([facts.ended, facts.finished, hasEnd(text)]).toEqual([false, false, false]);
    expect(writeWhole(say).text).toBe('');
  });

  it('may have its end after a finish reason', () => {
    const writer = startMessagesWriter();
    const choice = writer.choice(0);
    choice.text('Hi');
    choice.finish('stop');
    expect([writer.facts.finished, hasEnd(writer.take().toString())]).toEqual([true, false]);
    look(choice);
    writer.end();
    expect(writer.take().toString()).toContain('"stop_reason":"tool_use"');
  });
});

describe('An error of the provider', () => {
  it('ends the response without a sign of success, whatever follows it', () => {
    for (const stream of [true, false]) {
      const writer = startMessagesWriter({ stream });
      const choice = writer.choice(0);
      choice.text('Hi');
      const before = writer.take().toString();
      writer.fail(error);
      writer.fail(new GatewayError('provider_error', { message: 'Another' }));
      choice.text('more');
      choice.reasoning('Hm');
      look(choice);
      choice.finish('stop');
      writer.ping();
      writer.end();
      writer.endWhole();
      expect([writer.facts.error, writer.facts.ended]).toEqual([error, false]);
      expect(writer.take().toString()).toBe('');
      expect(hasEnd(before)).toBe(false);
    }
  });

  it('is one that its finish reason states', () => {
    for (const write of [writeStream, writeWhole]) {
      const { text, facts } = write((choice) => {
        choice.text('Hi');
        choice.finish('network_error');
      });
      expect(facts.error?.message).toBe('The provider some ended its response with "network_error"');
      expect(hasEnd(text)).toBe(false);
    }
  });

  it('does not follow the end', () => {
    const writer = startMessagesWriter();
    const choice = writer.choice(0);
    choice.text('Hi');
    choice.finish('stop');
    writer.end();
    writer.take();
    writer.fail(error);
    choice.text('more');
    choice.media({ mediaType: 'image/png', data: 'AAAA' });
    writer.ping();
    writer.end();
    expect([writer.facts.error, writer.facts.ended]).toEqual([null, true]);
    expect(writer.take().toString()).toBe('');
  });
});

describe('Generated media', () => {
  const explanation = (medium: string) =>
    `The model of the provider some generated ${medium}, which a message cannot contain: use POST /ai/chat/completions`;

  it.each<[medium: string, write: (choice: ChoiceSink) => void]>([
    ['audio', (choice) => choice.audio({ data: 'AAAA' })],
    ['image/png', (choice) => choice.media({ mediaType: 'image/png', data: 'AAAA' })],
    ['images', (choice) => choice.extra({ images: [{ type: 'image_url' }] })],
    ['videos', (choice) => choice.extra({ annotations: [], videos: [{}] })],
    ['files', (choice) => choice.extra({ files: [{}] })],
  ])('is an error: %s', (medium, write) => {
    for (const create of [writeStream, writeWhole]) {
      const { text, facts } = create((choice) => {
        choice.text('See: ');
        write(choice);
        choice.finish('stop');
      });
      expect(facts.error).toMatchObject({ code: 'provider_error', message: explanation(medium) });
      expect(hasEnd(text)).toBe(false);
    }
  });

  it('is none in other fields, which messages do not have', () => {
    const { content, facts } = writeWhole((choice, writer) => {
      writer.fields({ system_fingerprint: 'f' });
      choice.text('Hi');
      choice.extra({ annotations: [{}], reasoning_details: [] });
      choice.logprobs({ content: [] });
      choice.omit();
      choice.finish('stop');
    });
    expect([content, facts.error]).toEqual([[{ type: 'text', text: 'Hi', citations: null }], null]);
  });
});

describe('Choices after the first one', () => {
  it('are ignored', () => {
    const script: WriteScript = (choice, writer) => {
      const second = writer.choice(1);
      second.begin();
      second.text('Other');
      second.reasoning('Other');
      look(second);
      second.media({ mediaType: 'image/png', data: 'AAAA' });
      choice.text('Hi');
      second.finish('length');
      choice.finish('stop');
      second.text('Other');
    };
    const { message, content } = writeWhole(script);
    const { text, events } = writeStream(script);
    expect([message.stop_reason, content]).toEqual([
      'end_turn',
      [{ type: 'text', text: 'Hi', citations: null }],
    ]);
    expect(
      filterObjects(events)
        .map(({ delta }) => objectOrEmpty(delta).text ?? '')
        .join(''),
    ).toBe('Hi');
    expect(streamProblems(text)).toEqual([]);
  });
});
