import { describe, expect, it } from 'vitest';
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { writeSignature } from '#lambdas/inference/completion/signatures.ts';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import { messageProblems, streamProblems } from '#test/support/messages/validate.ts';
import { assembleMessage, writeStream, writeWhole } from '#test/support/messages/write.ts';
import { signature } from '#test/support/providers/neutral-request.ts';

const provider = 'google';
const text = (value: string) => ({ type: 'text', text: value, citations: null });
const thinking = (value: string, signed: string) => ({
  type: 'thinking',
  thinking: value,
  signature: signed,
});
const unsigned = writeSignature({ provider, owner: 'thinking', payload: null });
const google = (data: string): Payload => signature(data, 'google');
const ofText = (data: string) => writeSignature({ provider, owner: 'text', payload: google(data) });
const ofThinking = (data: string) => writeSignature({ provider, owner: 'thinking', payload: google(data) });
const ofCall = (callId: string, data: string) =>
  writeSignature({ provider, owner: { callId }, payload: google(data) });
const call = (id: string) => ({
  type: 'tool_use',
  id,
  name: 'look',
  input: {},
  caller: { type: 'direct' },
});
const look = (choice: ChoiceSink, id: string, payload: Payload | null = null) =>
  choice.toolCall({ id, name: 'look', payload }).arguments('{}');

const cases: readonly [title: string, write: (choice: ChoiceSink) => void, content: object[]][] = [
  ['text in parts', (choice) => ['Hel', '', 'lo '].map(choice.text), [text('Hello ')]],
  [
    'thinking, which the gateway signs for a provider that does not, before text',
    (choice) => {
      choice.reasoning('Hm');
      choice.reasoning('!');
      choice.text('Hi');
      choice.reasoning('So');
    },
    [thinking('Hm!', unsigned), text('Hi'), thinking('So', unsigned)],
  ],
  [
    'text that begins with blank text, and none that is blank',
    (choice) => {
      choice.text('\n');
      choice.reasoning('Hm');
      choice.text(' \n');
      look(choice, 'a');
      choice.text('\n');
      choice.text('\tHi');
    },
    [thinking('Hm', unsigned), call('a'), text('\n\tHi')],
  ],
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
    'thinking that its provider ends without a signature, and more of it',
    (choice) => {
      choice.reasoning('Hm');
      choice.signature(null);
      choice.reasoning('So');
    },
    [thinking('Hm', unsigned), thinking('So', unsigned)],
  ],
  [
    'the data of thinking',
    (choice) => {
      choice.reasoning('Hm');
      choice.signature(google('x'));
      choice.text('Hi');
    },
    [thinking('Hm', ofThinking('x')), text('Hi')],
  ],
  [
    'the data of thinking that shows no text',
    (choice) => {
      choice.signature(signature('x', 'openai'));
      choice.text('Hi');
    },
    [
      thinking('', writeSignature({ provider, owner: 'thinking', payload: signature('x', 'openai') })),
      text('Hi'),
    ],
  ],
  [
    'the data of a text before the block that follows it, without an empty block at the end',
    (choice) => {
      choice.text('Well');
      choice.signature(google('x'));
      choice.reasoning('Hm');
      choice.text('Hi');
      choice.signature(google('y'));
      look(choice, 'a');
    },
    [
      text('Well'),
      thinking('', ofText('x')),
      thinking('Hm', unsigned),
      text('Hi'),
      thinking('', ofText('y')),
      call('a'),
    ],
  ],
  [
    'each text with its own data',
    (choice) => {
      choice.text('One');
      choice.signature(google('x'));
      choice.text('Two');
      choice.signature(google('y'));
      look(choice, 'a');
    },
    [text('One'), thinking('', ofText('x')), text('Two'), thinking('', ofText('y')), call('a')],
  ],
  [
    'the data of calls, with the thinking before them or in an empty one',
    (choice) => {
      choice.reasoning('Hm');
      look(choice, 'a', google('x'));
      look(choice, 'b', google('y'));
      look(choice, 'c');
    },
    [thinking('Hm', ofCall('a', 'x')), call('a'), thinking('', ofCall('b', 'y')), call('b'), call('c')],
  ],
  [
    'a refusal',
    (choice) => {
      choice.text('Well: ');
      choice.refusal('I cannot');
    },
    [text('Well: I cannot')],
  ],
];

describe('The blocks of a message', () => {
  it.each(cases)('are %s', async (_, write, content) => {
    const script = (choice: ChoiceSink) => {
      choice.begin();
      write(choice);
      choice.finish('stop');
    };

    const stream = writeStream(script, { provider });
    const whole = writeWhole(script, { provider });

    expect(whole.content).toEqual(content);
    expect((await assembleMessage(stream.text)).content).toEqual(content);
    expect([streamProblems(stream.text), messageProblems(whole.message)]).toEqual([[], []]);
  });
});

describe('Very much blank text', () => {
  it('is written with the text that follows it, and else left out', () => {
    const blank = Array.from({ length: 200_000 }, () => '\n');
    const contentOf = (deltas: readonly string[]) =>
      writeWhole((choice) => {
        for (const delta of deltas) choice.text(delta);
        choice.finish('stop');
      }).content;
    expect(contentOf(blank)).toEqual([]);
    expect(contentOf([...blank, 'Hi'])).toEqual([text(`${blank.join('')}Hi`)]);
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
