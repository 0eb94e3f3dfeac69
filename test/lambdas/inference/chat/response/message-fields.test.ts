import { describe, expect, it } from 'vitest';
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import {
  filterObjects,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { startChatWriter } from '#test/support/providers/provider-call.ts';
import { eventData } from '#test/support/providers/sse-events.ts';

/** The message of a completion, and the deltas of a stream. */
function write(writeChoice: (choice: ChoiceSink) => void) {
  const [completion = '', stream = ''] = [false, true].map((isStream) => {
    const writer = startChatWriter({ stream: isStream });
    writeChoice(writer.choice(0));
    writer.choice(0).finish('stop');
    writer.endWhole();
    return writer.take().toString();
  });
  const firstChoice = (text: string) => filterObjects(parseJsonObject(text)?.choices)[0] ?? {};
  return {
    message: objectOrEmpty(firstChoice(completion).message),
    deltas: eventData(stream).map((data) => objectOrEmpty(firstChoice(data).delta)),
  };
}

const signature = (data: string, format: Payload['format'] = 'anthropic'): Payload => ({
  format,
  kind: 'signature',
  data,
});

describe('Opaque data of a provider', () => {
  it('of Claude is in thinking_blocks with the text that it signs', () => {
    const { message, deltas } = write((choice) => {
      choice.reasoning('a');
      choice.reasoning('b');
      choice.signature(signature('s'));
      choice.signature({ format: 'anthropic', kind: 'redacted', data: 'r' });
      choice.text('Hi');
    });
    const blocks = [
      { type: 'thinking', thinking: 'ab', signature: 's' },
      { type: 'redacted_thinking', data: 'r' },
    ];
    expect(message).toMatchObject({ content: 'Hi', reasoning_content: 'ab', thinking_blocks: blocks });
    expect(deltas.flatMap((delta) => filterObjects(delta.thinking_blocks))).toEqual(blocks);
  });

  it('of Gemini is in extra_content of the message or the call', () => {
    const { message, deltas } = write((choice) => {
      choice.text('Hi');
      choice.signature(signature('s1', 'google'));
      choice.toolCall({ id: 'a', name: 'look', payload: signature('s2', 'google') });
    });
    const extraOf = (thought_signature: string) => ({ google: { thought_signature } });
    expect(message).toMatchObject({
      extra_content: extraOf('s1'),
      tool_calls: [{ id: 'a', extra_content: extraOf('s2') }],
    });
    expect(deltas.map(({ extra_content }) => extra_content).filter((extra) => extra !== undefined)).toEqual([
      extraOf('s1'),
    ]);
  });

  it('of another format, and stop sequences, are not shown', () => {
    const writeHi = (choice: ChoiceSink) => {
      choice.reasoning('Hm');
      choice.text('Hi');
    };
    const plain = write(writeHi);
    const others = write((choice) => {
      writeHi(choice);
      choice.signature({ format: 'openai', kind: 'encrypted', data: 'x' });
      choice.signature(null);
      choice.stopSequence('END');
      choice.omit();
    });
    expect(others).toEqual(plain);
  });

  type Step = {
    kind: 'reasoning' | 'text' | 'signed' | 'unsigned' | 'redacted' | 'call' | 'omit';
    text: string;
  };
  const step = fc.record<Step>({
    kind: fc.constantFrom('reasoning', 'text', 'signed', 'unsigned', 'redacted', 'call', 'omit'),
    text: fc.constantFrom('', ' ', 'x', 'y'),
  });

  function perform(choice: ChoiceSink, { kind, text }: Step): void {
    if (kind === 'reasoning') choice.reasoning(text);
    else if (kind === 'text') choice.text(text);
    else if (kind === 'signed') choice.signature(signature('s'));
    else if (kind === 'unsigned') choice.signature(null);
    else if (kind === 'redacted') choice.signature({ format: 'anthropic', kind, data: 'r' });
    else if (kind === 'call') choice.toolCall({ name: 'look' });
    else choice.omit();
  }

  /** The blocks before the first content, each with the reasoning since the end of the one before. */
  function expectedBlocks(steps: readonly Step[]): JsonObject[] {
    const isContent = ({ kind, text }: Step) =>
      kind === 'call' || kind === 'omit' || (kind === 'text' && text.trim() !== '');
    const end = steps.findIndex(isContent);
    const atStart = end === -1 ? steps : steps.slice(0, end);
    return atStart.flatMap(({ kind }, index): JsonObject[] => {
      if (kind === 'redacted') return [{ type: 'redacted_thinking', data: 'r' }];
      if (kind !== 'signed') return [];
      const before = atStart.slice(0, index);
      const last = before.findLastIndex((earlier) =>
        ['signed', 'unsigned', 'redacted'].includes(earlier.kind),
      );
      const reasoning = before.slice(last + 1).filter((earlier) => earlier.kind === 'reasoning');
      return [{ type: 'thinking', thinking: reasoning.map(({ text }) => text).join(''), signature: 's' }];
    });
  }

  it('of Claude is written only at the start of a message, in any order of calls', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { message, deltas } = write((choice) => {
          for (const it of steps) perform(choice, it);
        });
        const blocks = expectedBlocks(steps);
        expect(message.thinking_blocks ?? []).toEqual(blocks);
        expect(deltas.flatMap((delta) => filterObjects(delta.thinking_blocks))).toEqual(blocks);
      }),
    );
  });
});

describe('Media', () => {
  it.each([
    ['image/png', { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }],
    ['video/mp4', { videos: [{ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }] }],
    [
      'application/pdf',
      { files: [{ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }] },
    ],
  ])('of type %s are in a field of their own', (mediaType, fields) => {
    const { message, deltas } = write((choice) => choice.media({ mediaType, data: 'AAAA' }));
    expect(message).toMatchObject(fields);
    expect(deltas).toContainEqual(expect.objectContaining(fields));
  });
});
