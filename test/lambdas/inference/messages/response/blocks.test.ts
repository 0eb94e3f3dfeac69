/** Rules of messages alone: `ordered-output/` has what all formats have in common. */
import { describe, expect, it } from 'vitest';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { type WriteScript, writeStream, writeWhole } from '#test/support/messages/write.ts';
import { signature } from '#test/support/providers/neutral-request.ts';
import { expectParts, orderedFormats } from '#test/support/translation/ordered-formats.ts';

const text = (value: string) => ({ type: 'text', text: value, citations: null });
const thinking = (value: string, signed: string) => ({
  type: 'thinking',
  thinking: value,
  signature: signed,
});
const toolUse = (id: string, input: JsonObject) => ({
  type: 'tool_use',
  id,
  name: 'look',
  input,
  caller: { type: 'direct' },
});
const look = (choice: ChoiceSink, id: string, json: string) =>
  choice.toolCall({ id, name: 'look' }).arguments(json);

const cases: readonly [title: string, write: (choice: ChoiceSink) => void, content: JsonObject[]][] = [
  [
    "Claude's thinking with its own signature, and what Claude withholds",
    (choice) => {
      choice.reasoning('Hm');
      choice.signature(signature('c2ln'));
      choice.signature({ format: 'anthropic', kind: 'redacted', data: 'cmVkYWN0ZWQ=' });
      choice.signature(signature('eHg='));
      choice.text('Hi');
    },
    [
      thinking('Hm', 'c2ln'),
      { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
      thinking('', 'eHg='),
      text('Hi'),
    ],
  ],
  [
    'a refusal, which is text',
    (choice) => {
      choice.text('Well: ');
      choice.refusal('I cannot');
    },
    [text('Well: I cannot')],
  ],
];

describe('The blocks of a message', () => {
  it.each(cases)('are %s', async (_, write, content) => {
    const script: WriteScript = (choice) => {
      choice.begin();
      write(choice);
      choice.finish('stop');
    };
    await expectParts(orderedFormats.messages, script, content, { provider: 'google' });
  });
});

describe('The deltas of a stream', () => {
  it('are forwarded as they come', () => {
    const { events } = writeStream((choice) => {
      choice.reasoning('Hm');
      choice.reasoning('!');
      choice.text('Hel');
      choice.text('lo');
      choice.finish('stop');
    });
    const deltas = events.flatMap(({ index, delta }) =>
      index === undefined || !delta ? [] : [[index, delta]],
    );
    expect(deltas).toEqual([
      [0, { type: 'thinking_delta', thinking: 'Hm' }],
      [0, { type: 'thinking_delta', thinking: '!' }],
      [0, { type: 'signature_delta', signature: 'gateway/some/thinking////;' }],
      [1, { type: 'text_delta', text: 'Hel' }],
      [1, { type: 'text_delta', text: 'lo' }],
    ]);
  });
});

describe('The input of a call', () => {
  it('keeps the digits of its numbers', () => {
    const json = '{"n":9007199254740993,"m":[1.0,1e400,-0.10]}';
    const script: WriteScript = (choice) => {
      look(choice, 'a', json);
      choice.finish('stop');
    };
    expect(writeWhole(script).text).toContain(`"input":${json}`);
    expect(writeStream(script).text).toContain(`"partial_json":${JSON.stringify(json)}`);

    const cutOff: WriteScript = (choice) => {
      look(choice, 'a', `${json.slice(0, -1)},"o":1`);
      choice.finish('length');
    };
    expect(writeWhole(cutOff).text).toContain(`"input":${json}`);
  });

  it.each([
    ['{"a":1,"b":[2,3],"c":"x', { a: 1, b: [2, 3] }],
    ['{"a":{"b":1', {}],
    ['{"a"', {}],
    ['', {}],
  ])('has its complete members if the response is cut off after %s', (json, input) => {
    const script: WriteScript = (choice) => {
      look(choice, 'a', '{"n":1}');
      look(choice, 'b', json);
      choice.finish('length');
    };
    const { problems } = orderedFormats.messages;
    const stream = writeStream(script);
    const { text: whole, message, content } = writeWhole(script);
    expect(content).toEqual([toolUse('a', { n: 1 }), toolUse('b', input)]);
    expect(message.stop_reason).toBe('max_tokens');
    expect(stream.events.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } });
    expect([problems(stream.text, true), problems(whole, false)]).toEqual([[], []]);
  });
});
