/** Rules of responses alone: `ordered-output/` has what all formats have in common. */
import { describe, expect, it } from 'vitest';
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { writeSignature } from '#lambdas/inference/completion/signatures.ts';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { WriteScript } from '#test/support/messages/write.ts';
import { exampleRequestId } from '#test/support/providers/provider-call.ts';
import { writeStream } from '#test/support/responses/write.ts';
import { expectParts, orderedFormats } from '#test/support/translation/ordered-formats.ts';

const provider = 'google';
const format = orderedFormats.responses;
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
const reasoning = (value: string, payload: Payload | null) => ({
  type: 'reasoning',
  summary: value === '' ? [] : [{ type: 'summary_text', text: value }],
  encrypted_content: writeSignature({ provider, owner: 'thinking', payload }),
});
const call = (id: string, json: string, fields: JsonObject = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'look',
  arguments: json,
  ...fields,
});
const claude = (data: string, kind: Payload['kind'] = 'signature'): Payload => ({
  format: 'anthropic',
  kind,
  data,
});

const prefixes: Readonly<Record<string, string>> = { message: 'msg', reasoning: 'rs', function_call: 'fc' };

/** The items with their ids. They are complete unless they have another status. */
const withIds = (items: readonly (JsonObject & { type: string })[]) =>
  items.map((item, at) => ({
    id: `${prefixes[item.type]}_gateway_${exampleRequestId}_${at}`,
    status: 'completed',
    ...item,
  }));

type Items = Parameters<typeof withIds>[0];

const cases: readonly [title: string, write: (choice: ChoiceSink) => void, items: Items][] = [
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
      reasoning('Hm', claude('c2ln')),
      reasoning('', claude('cmVkYWN0ZWQ=', 'redacted')),
      reasoning('', claude('eHg=')),
      text('Hi'),
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
    [refusal('I cannot '), reasoning('Hm', null), text('Hi')],
  ],
  [
    'calls, with the digits of their numbers',
    (choice) => {
      const json = '{"n":9007199254740993,"m":[1.0,1e400,-0.10]}';
      choice.toolCall({ id: 'a', name: 'look' }).arguments(json);
    },
    [call('a', '{"n":9007199254740993,"m":[1.0,1e400,-0.10]}')],
  ],
  [
    'calls of tools with the same name, of which one is in a group',
    (choice) => {
      choice.toolCall({ id: 'a', name: 'look', namespace: 'team' }).arguments('{}');
      choice.toolCall({ id: 'b', name: 'look', namespace: null }).arguments('{}');
    },
    [call('a', '{}', { namespace: 'team' }), call('b', '{}')],
  ],
];

describe('The items of a response', () => {
  it.each(cases)('are %s', async (_, write, items) => {
    const script: WriteScript = (choice) => {
      choice.begin();
      write(choice);
      choice.finish('stop');
    };
    const response = await expectParts(format, script, withIds(items), { provider });
    expect(response.status).toBe('completed');
  });

  it.each(['{"a":1,"b":[2,3],"c":"x', '{"a"', ''])(
    'have the arguments of a call as far as they came in a response that is cut off after %j',
    async (json) => {
      const script: WriteScript = (choice) => {
        choice.toolCall({ id: 'a', name: 'look' }).arguments('{"n":1}');
        choice.toolCall({ id: 'b', name: 'look' }).arguments(json);
        choice.finish('length');
      };
      const items = withIds([call('a', '{"n":1}'), call('b', json, { status: 'incomplete' })]);
      expect(await expectParts(format, script, items)).toMatchObject({ status: 'incomplete' });
    },
  );
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
