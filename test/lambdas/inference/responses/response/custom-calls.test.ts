import { describe, expect, it } from 'vitest';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import type { WriteScript } from '#test/support/messages/write.ts';
import { exampleRequestId } from '#test/support/providers/provider-call.ts';
import { itemProblems } from '#test/support/responses/item-events.ts';
import { openResponsesProblems } from '#test/support/responses/open-responses.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import { withoutTime, writeStream, writeWhole } from '#test/support/responses/write.ts';

const patch = { type: 'custom', name: 'apply_patch' };
const exec = { type: 'custom', name: 'exec', format: { type: 'grammar', syntax: 'lark', definition: 'x' } };
const look = { type: 'function', name: 'look', parameters: { type: 'object' } };
const tools = [patch, look, { type: 'namespace', name: 'functions', description: '', tools: [exec, look] }];

const item = (id: string, position: number, input: string, fields: object = {}) => ({
  id: `ctc_gateway_${exampleRequestId}_${position}`,
  type: 'custom_tool_call',
  status: 'completed',
  call_id: id,
  name: 'apply_patch',
  input,
  ...fields,
});

function call(choice: ChoiceSink, id: string, deltas: readonly string[], fields: object = {}): void {
  const sink = choice.toolCall({ id, name: 'apply_patch', ...fields });
  for (const delta of deltas) sink.arguments(delta);
}

/** Expects the same response as a stream and as a whole. */
function expectOutput(script: WriteScript, output: object[], fields: object = { tools }) {
  const stream = writeStream(script, { fields: { ...fields } });
  const whole = writeWhole(script, { fields: { ...fields } });
  expect(whole.output).toEqual(output);
  expect(withoutTime(stream.response)).toEqual(withoutTime(whole.response));
  expect([streamProblems(stream.text), itemProblems(stream.events)]).toEqual([[], []]);
  expect([responseProblems(whole.response), openResponsesProblems(whole.response)]).toEqual([[], []]);
  return stream;
}

describe('A call of a custom tool', () => {
  it.each<[deltas: string[], input: string]>([
    [['{"input":"*** Begin\\n+a"}'], '*** Begin\n+a'],
    [['{"inp', 'ut":"a\\', 'n\\u00', 'e9\\ud83d', '\\ude42"', '}'], 'a\né🙂'],
    [['{"note":"x","input":"y"}'], 'y'],
    [['{"input":""}'], ''],
    [['  {"input" : "a", "note": 1}\n'], 'a'],
  ])('with the arguments %j has the input %j', (deltas, input) => {
    const script: WriteScript = (choice) => {
      call(choice, 'a', deltas);
      choice.finish('tool_calls');
    };
    const { events } = expectOutput(script, [item('a', 0, input)]);
    const sent = events.flatMap(({ type, delta }) =>
      type === 'response.custom_tool_call_input.delta' ? [delta] : [],
    );
    expect(sent.join('')).toBe(input);
  });

  it('is forwarded as it comes, while another call waits', () => {
    const { events } = writeStream(
      (choice) => {
        const a = choice.toolCall({ id: 'a', name: 'apply_patch' });
        a.arguments('{"input":"x');
        const b = choice.toolCall({ id: 'b', name: 'apply_patch' });
        b.arguments('{"input":"z"}');
        a.arguments('y"}');
        choice.finish('tool_calls');
      },
      { fields: { tools } },
    );
    const outline = events.flatMap(({ type, output_index, delta }) => {
      const name = String(type).slice('response.'.length);
      return output_index === undefined ? [] : [`${output_index} ${delta ?? name}`];
    });
    expect(outline).toEqual([
      ...['0 output_item.added', '0 x', '0 y', '0 custom_tool_call_input.done', '0 output_item.done'],
      ...['1 output_item.added', '1 z', '1 custom_tool_call_input.done', '1 output_item.done'],
    ]);
  });

  it('is known by its name and its group', () => {
    const names = (name: string, namespace: string | null) => ({ name, namespace });
    expectOutput(
      (choice) => {
        call(choice, 'a', ['{"input":"x"}'], names('exec', 'functions'));
        call(choice, 'b', ['{"input":"x"}'], names('exec', null));
        call(choice, 'c', ['{"input":"x"}'], names('look', null));
        call(choice, 'd', ['{"input":"x"}'], names('look', 'functions'));
        call(choice, 'e', ['{"input":"x"}'], names('apply_patch', 'functions'));
        choice.finish('tool_calls');
      },
      [
        item('a', 0, 'x', { name: 'exec', namespace: 'functions' }),
        ...[
          ['b', names('exec', null)] as const,
          ['c', names('look', null)] as const,
          ['d', names('look', 'functions')] as const,
          ['e', names('apply_patch', 'functions')] as const,
        ].map(([id, { name, namespace }], at) => ({
          id: `fc_gateway_${exampleRequestId}_${at + 1}`,
          type: 'function_call',
          status: 'completed',
          call_id: id,
          name,
          ...(namespace !== null && { namespace }),
          arguments: '{"input":"x"}',
        })),
      ],
    );
  });

  it('is known by a definition in an item of the input', () => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [patch] },
      { role: 'user', content: 'Hi' },
    ];
    const script: WriteScript = (choice) => {
      call(choice, 'a', ['{"input":"x"}']);
      choice.finish('tool_calls');
    };
    expectOutput(script, [item('a', 0, 'x')], { input });
  });

  it.each(['', '{}', 'null', '{"patch":"x"}', '{"input":5}', '{"input":"x', '"x"'])(
    'is an error with the arguments %j, which have no input, without an end of the call',
    (json) => {
      const script: WriteScript = (choice) => {
        choice.text('Hi');
        call(choice, 'a', [json]);
        choice.text('Bye');
        choice.finish('tool_calls');
      };
      const stream = writeStream(script, { fields: { tools } });
      for (const { facts, response } of [stream, writeWhole(script, { fields: { tools } })]) {
        expect(facts.error?.message).toContain('sent a call of the tool apply_patch');
        expect([facts.ended, response]).toEqual([false, {}]);
      }
      const done = stream.events.filter(({ type }) => String(type).endsWith('.done'));
      expect(done.map(({ output_index: index }) => index)).toEqual([0, 0, 0]);
    },
  );

  it.each([
    ['{"input":"ab\\u00', 'ab'],
    ['{"inp', ''],
    ['', ''],
  ])('has what has arrived of %j in a response that is cut off', (json, input) => {
    const script: WriteScript = (choice) => {
      call(choice, 'a', [json]);
      choice.finish('length');
    };
    const { response } = expectOutput(script, [item('a', 0, input, { status: 'incomplete' })]);
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
  });
});
