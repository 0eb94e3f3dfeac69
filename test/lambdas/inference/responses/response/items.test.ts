import { describe, expect, it } from 'vitest';
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { writeSignature } from '#lambdas/inference/completion/signatures.ts';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import { signature } from '#test/support/providers/neutral-request.ts';
import { exampleRequestId } from '#test/support/providers/provider-call.ts';
import { itemProblems } from '#test/support/responses/item-events.ts';
import { openResponsesProblems } from '#test/support/responses/open-responses.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import { withoutTime, writeStream, writeWhole } from '#test/support/responses/write.ts';

const provider = 'google';
const text = (value: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: value, annotations: [], logprobs: [] }],
});
const refusal = (value: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'refusal', refusal: value }],
});
const reasoning = (value: string, encrypted: string) => ({
  type: 'reasoning',
  summary: value === '' ? [] : [{ type: 'summary_text', text: value }],
  encrypted_content: encrypted,
});
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{}' });
const signed = (payload: Payload | null, owner: Parameters<typeof writeSignature>[0]['owner'] = 'thinking') =>
  writeSignature({ provider, owner, payload });
const unsigned = signed(null);
const google = (data: string): Payload => signature(data, 'google');
const claude = (data: string, kind: Payload['kind'] = 'signature'): Payload => ({
  format: 'anthropic',
  kind,
  data,
});
const look = (choice: ChoiceSink, id: string, payload: Payload | null = null) =>
  choice.toolCall({ id, name: 'look', payload }).arguments('{}');

const cases: readonly [title: string, write: (choice: ChoiceSink) => void, items: object[]][] = [
  ['text in parts', (choice) => ['Hel', '', 'lo '].map(choice.text), [text('Hello ')]],
  [
    'reasoning as a summary, which the gateway signs for a provider that does not',
    (choice) => {
      choice.reasoning('Hm');
      choice.reasoning('!');
      choice.text('Hi');
      choice.reasoning('So');
    },
    [reasoning('Hm!', unsigned), text('Hi'), reasoning('So', unsigned)],
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
    [reasoning('Hm', unsigned), call('a'), text('\n\tHi')],
  ],
  [
    "Claude's reasoning with its signature, and what Claude withholds",
    (choice) => {
      choice.reasoning('Hm');
      choice.signature(claude('c2ln'));
      choice.signature(claude('cmVkYWN0ZWQ=', 'redacted'));
      choice.signature(claude('eHg='));
      choice.text('Hi');
    },
    [
      reasoning('Hm', signed(claude('c2ln'))),
      reasoning('', signed(claude('cmVkYWN0ZWQ=', 'redacted'))),
      reasoning('', signed(claude('eHg='))),
      text('Hi'),
    ],
  ],
  [
    'reasoning that its provider ends without a signature, and more of it',
    (choice) => {
      choice.reasoning('Hm');
      choice.signature(null);
      choice.reasoning('So');
    },
    [reasoning('Hm', unsigned), reasoning('So', unsigned)],
  ],
  [
    'the data of a text before the item that follows it',
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
      reasoning('', signed(google('x'), 'text')),
      reasoning('Hm', unsigned),
      text('Hi'),
      reasoning('', signed(google('y'), 'text')),
      call('a'),
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
      reasoning('Hm', signed(google('x'), { callId: 'a' })),
      call('a'),
      reasoning('', signed(google('y'), { callId: 'b' })),
      call('b'),
      call('c'),
    ],
  ],
  [
    'the data of a text and of the call after it, in one item',
    (choice) => {
      choice.text('Well');
      choice.signature(google('x'));
      look(choice, 'a', google('y'));
    },
    [
      text('Well'),
      reasoning('', `${signed(google('x'), 'text')}${signed(google('y'), { callId: 'a' })}`),
      call('a'),
    ],
  ],
  [
    'a refusal beside text, each in a message',
    (choice) => {
      choice.text('Well: ');
      choice.refusal('I ');
      choice.refusal('cannot');
    },
    [text('Well: '), refusal('I cannot')],
  ],
  [
    'a refusal after blank text, and text after a blank refusal',
    (choice) => {
      choice.text('\n');
      choice.refusal('I cannot');
      choice.refusal(' ');
      choice.reasoning('Hm');
      choice.refusal('\n');
      choice.text('Hi');
    },
    [refusal('I cannot '), reasoning('Hm', unsigned), text('Hi')],
  ],
  ['none, for an empty response', (choice) => choice.text(''), []],
];

const prefixes: Readonly<Record<string, string>> = { message: 'msg', reasoning: 'rs', function_call: 'fc' };

describe('The items of a response', () => {
  it.each(cases)('are %s', (_, write, items) => {
    const script = (choice: ChoiceSink) => {
      choice.begin();
      write(choice);
      choice.finish('stop');
    };

    const stream = writeStream(script, { provider });
    const whole = writeWhole(script, { provider });

    const expected = items.map((item, at) => {
      const { type } = item as { type: string };
      return { ...item, id: `${prefixes[type]}_gateway_${exampleRequestId}_${at}`, status: 'completed' };
    });
    expect(whole.output).toEqual(expected);
    expect(withoutTime(stream.response)).toEqual(withoutTime(whole.response));
    expect(whole.response.status).toBe('completed');
    expect([streamProblems(stream.text), itemProblems(stream.events)]).toEqual([[], []]);
    expect([responseProblems(whole.response), openResponsesProblems(whole.response)]).toEqual([[], []]);
  });
});

describe('Very much blank text', () => {
  it('is written with the text that follows it, and else left out', () => {
    const blank = Array.from({ length: 200_000 }, () => '\n');
    const outputOf = (deltas: readonly string[]) =>
      writeWhole((choice) => {
        for (const delta of deltas) choice.text(delta);
        choice.finish('stop');
      }).output;
    expect(outputOf(blank)).toEqual([]);
    expect(outputOf([...blank, 'Hi'])).toMatchObject([text(`${blank.join('')}Hi`)]);
  });
});

describe('The deltas of a stream', () => {
  it('are forwarded as they come, with the place of their part', () => {
    const { events } = writeStream((choice) => {
      choice.reasoning('Hm');
      choice.reasoning('!');
      choice.text('Hel');
      choice.text('lo');
      choice.refusal('No');
      choice.finish('stop');
    });
    const at = (prefix: string, index: number, part: object) => ({
      output_index: index,
      item_id: `${prefix}_gateway_${exampleRequestId}_${index}`,
      ...part,
    });
    const summary = at('rs', 0, { summary_index: 0 });
    const message = at('msg', 1, { content_index: 0, logprobs: [] });
    expect(events.filter(({ type }) => String(type).endsWith('.delta'))).toEqual([
      { type: 'response.reasoning_summary_text.delta', sequence_number: 4, ...summary, delta: 'Hm' },
      { type: 'response.reasoning_summary_text.delta', sequence_number: 5, ...summary, delta: '!' },
      { type: 'response.output_text.delta', sequence_number: 11, ...message, delta: 'Hel' },
      { type: 'response.output_text.delta', sequence_number: 12, ...message, delta: 'lo' },
      {
        type: 'response.refusal.delta',
        sequence_number: 18,
        ...at('msg', 2, { content_index: 0 }),
        delta: 'No',
      },
    ]);
  });

  it('are written before their item is complete', () => {
    const { events } = writeStream((choice) => choice.text('Hi'));
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
    ]);
  });
});
