import { describe, expect, it } from 'vitest';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { WriteScript } from '#test/support/messages/write.ts';
import { itemProblems } from '#test/support/responses/item-events.ts';
import { openResponsesProblems } from '#test/support/responses/open-responses.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import {
  eventsOf,
  startResponsesWriter,
  withoutTime,
  writeStream,
  writeWhole,
} from '#test/support/responses/write.ts';

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

  it('is that of a whole response that has no word for it', () => {
    for (const stream of [true, false]) {
      const writer = startResponsesWriter({ stream });
      writer.choice(0).text('Hi');
      writer.endWhole();
      expect(writer.take().toString()).toContain('"status":"completed","error":null');
    }
  });
});

/** Whether anything says that the response is whole. */
const hasEnd = (text: string) =>
  /response\.(completed|incomplete)|"object":"response".*"completed_at":\d/.test(text);
const error = new GatewayError('provider_error', { message: 'Broken' });

describe('A response that is not finished', () => {
  it('has no end', () => {
    const { text, facts } = writeStream(say);
    expect([facts.ended, facts.finished, hasEnd(text)]).toEqual([false, false, false]);
    expect(writeWhole(say).text).toBe('');
  });

  it('may have its end after a finish reason', () => {
    const writer = startResponsesWriter();
    const choice = writer.choice(0);
    choice.text('Hi');
    choice.finish('stop');
    expect([writer.facts.finished, hasEnd(writer.take().toString())]).toEqual([true, false]);
    look(choice);
    writer.end();
    expect(eventsOf(writer.take().toString()).at(-1)).toMatchObject({
      type: 'response.completed',
      response: { output: [{ type: 'message' }, { type: 'function_call' }] },
    });
  });
});

describe('An error of the provider', () => {
  it('ends the response without a sign of success, whatever follows it', () => {
    for (const stream of [true, false]) {
      const writer = startResponsesWriter({ stream });
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
    const writer = startResponsesWriter();
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
    `The model of the provider some generated ${medium}, which a response cannot contain: use POST /ai/chat/completions`;

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

  it('is none in other fields, which responses do not have', () => {
    const { output, facts } = writeWhole((choice, writer) => {
      writer.fields({ system_fingerprint: 'f' });
      choice.text('Hi');
      choice.extra({ annotations: [{}], reasoning_details: [] });
      choice.logprobs({ content: [] });
      choice.stopSequence('END');
      choice.omit();
      choice.finish('stop');
    });
    expect(facts.error).toBeNull();
    expect(output).toMatchObject([{ content: [{ text: 'Hi', annotations: [], logprobs: [] }] }]);
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
    const stream = writeStream(script);
    for (const { response, output } of [stream, writeWhole(script)]) {
      expect(response.status).toBe('completed');
      expect(output).toMatchObject([{ content: [{ text: 'Hi' }] }]);
    }
    expect([streamProblems(stream.text), stream.text.includes('Other')]).toEqual([[], false]);
  });
});
