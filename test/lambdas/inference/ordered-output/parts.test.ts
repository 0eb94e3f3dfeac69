/** Texts, reasoning and calls, with the data of their provider, are parts in all formats whose responses are a list of them. */
import { describe, expect, it } from 'vitest';
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { type SignatureOwner, writeSignature } from '#lambdas/inference/completion/signatures.ts';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import type { WriteScript } from '#test/support/messages/write.ts';
import { signature } from '#test/support/providers/neutral-request.ts';
import { eachFormat, expectParts, writeText } from '#test/support/translation/ordered-formats.ts';

const provider = 'google';
const signed = (payload: Payload | null, owner: SignatureOwner = 'thinking') =>
  writeSignature({ provider, owner, payload });
const google = (data: string): Payload => signature(data, 'google');
const reasoning = (text: string, payload: Payload | null = null, owner?: SignatureOwner) => ({
  reasoning: text,
  signature: signed(payload, owner),
});
const look = (choice: ChoiceSink, id: string, payload: Payload | null = null) =>
  choice.toolCall({ id, name: 'look', payload }).arguments('{}');

type Part = Parameters<(typeof eachFormat)[number][1]['part']>[0];

const cases: readonly [title: string, write: (choice: ChoiceSink) => void, parts: Part[]][] = [
  ['text in parts', (choice) => ['Hel', '', 'lo '].map(choice.text), [{ text: 'Hello ' }]],
  [
    'reasoning, which the gateway signs for a provider that does not, before text',
    (choice) => {
      choice.reasoning('Hm');
      choice.reasoning('!');
      choice.text('Hi');
      choice.reasoning('So');
    },
    [reasoning('Hm!'), { text: 'Hi' }, reasoning('So')],
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
    [reasoning('Hm'), { call: 'a' }, { text: '\n\tHi' }],
  ],
  [
    'reasoning that its provider ends without a signature, and more of it',
    (choice) => {
      choice.reasoning('Hm');
      choice.signature(null);
      choice.reasoning('So');
    },
    [reasoning('Hm'), reasoning('So')],
  ],
  [
    'the data of reasoning',
    (choice) => {
      choice.reasoning('Hm');
      choice.signature(google('x'));
      choice.text('Hi');
    },
    [reasoning('Hm', google('x')), { text: 'Hi' }],
  ],
  [
    'the data of reasoning that shows no text',
    (choice) => {
      choice.signature(signature('x', 'openai'));
      choice.text('Hi');
    },
    [reasoning('', signature('x', 'openai')), { text: 'Hi' }],
  ],
  [
    'the data of a text before the part that follows it, without an empty part at the end',
    (choice) => {
      choice.text('Well');
      choice.signature(google('x'));
      choice.reasoning('Hm');
      choice.text('Hi');
      choice.signature(google('y'));
      look(choice, 'a');
      choice.text('Done');
      choice.signature(google('z'));
    },
    [
      { text: 'Well' },
      reasoning('', google('x'), 'text'),
      reasoning('Hm'),
      { text: 'Hi' },
      reasoning('', google('y'), 'text'),
      { call: 'a' },
      { text: 'Done' },
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
    [
      { text: 'One' },
      reasoning('', google('x'), 'text'),
      { text: 'Two' },
      reasoning('', google('y'), 'text'),
      { call: 'a' },
    ],
  ],
  [
    'the data of calls, with the reasoning before them or in an empty one',
    (choice) => {
      choice.reasoning('Hm');
      look(choice, 'a', google('x'));
      look(choice, 'b', google('y'));
      look(choice, 'c');
    },
    [
      reasoning('Hm', google('x'), { callId: 'a' }),
      { call: 'a' },
      reasoning('', google('y'), { callId: 'b' }),
      { call: 'b' },
      { call: 'c' },
    ],
  ],
  [
    'the data of a text and of the call after it, in one part',
    (choice) => {
      choice.text('Well');
      choice.signature(google('x'));
      look(choice, 'a', google('y'));
    },
    [
      { text: 'Well' },
      {
        reasoning: '',
        signature: `${signed(google('x'), 'text')}${signed(google('y'), { callId: 'a' })}`,
      },
      { call: 'a' },
    ],
  ],
  ['none, for an empty response', (choice) => choice.text(''), []],
];

describe.each(eachFormat)('The parts of %s', (_, format) => {
  it.each(cases)('are %s', async (_, write, parts) => {
    const script: WriteScript = (choice) => {
      choice.begin();
      write(choice);
      choice.finish('stop');
    };
    await expectParts(format, script, parts.map(format.part), { provider });
  });

  it('have very much blank text with the text that follows it, and else not', () => {
    const blank = Array.from({ length: 200_000 }, () => '\n');
    const partsOf = (deltas: readonly string[]) => {
      const script: WriteScript = (choice) => {
        for (const delta of deltas) choice.text(delta);
        choice.finish('stop');
      };
      return JSON.parse(writeText(format, script, { stream: false }).text)[format.list];
    };
    expect(partsOf(blank)).toEqual([]);
    expect(partsOf([...blank, 'Hi'])).toEqual([format.part({ text: `${blank.join('')}Hi` }, 0)]);
  });

  it('are those of the model that was asked for, or that the provider names, without the credential', async () => {
    const named: readonly (readonly [identity: object, model: string])[] = [
      [{}, 'a-model'],
      [{ model: '' }, 'a-model'],
      [{ model: 'sk-secret-1/m' }, '***********/m'],
    ];
    for (const [identity, model] of named) {
      const script: WriteScript = (choice, writer) => {
        writer.identify(identity);
        choice.finish('stop');
      };
      expect(await expectParts(format, script, [], { apiKey: 'sk-secret-1' })).toMatchObject({ model });
    }
  });

  it('are a valid whole without signs that the provider is still working', async () => {
    const script: WriteScript = (choice, writer) => {
      writer.ping();
      choice.text('Hi');
      writer.ping();
      choice.finish('stop');
    };
    await expectParts(format, script, [format.part({ text: 'Hi' }, 0)]);
  });
});
