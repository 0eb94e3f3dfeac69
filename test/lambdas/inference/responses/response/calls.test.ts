import { describe, expect, it } from 'vitest';
import type { ChoiceSink, ToolCallSink } from '#lambdas/inference/completion/sink.ts';
import { objectOrEmpty } from '#lambdas/platform/json/json.ts';
import type { WriteScript } from '#test/support/messages/write.ts';
import { exampleRequestId } from '#test/support/providers/provider-call.ts';
import { itemProblems } from '#test/support/responses/item-events.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import { withoutTime, writeStream, writeWhole } from '#test/support/responses/write.ts';

const look = (choice: ChoiceSink, id: string, argumentsText?: string): ToolCallSink => {
  const call = choice.toolCall({ id, name: 'look' });
  if (argumentsText !== undefined) call.arguments(argumentsText);
  return call;
};
const item = (id: string, position: number, json: string, fields: object = {}) => ({
  id: `fc_gateway_${exampleRequestId}_${position}`,
  type: 'function_call',
  status: 'completed',
  call_id: id,
  name: 'look',
  arguments: json,
  ...fields,
});

/** The events of items, in short: where they begin, the deltas, and where they are done. */
function outline(write: WriteScript): string[] {
  const { text, events } = writeStream(write);
  expect([streamProblems(text), itemProblems(events)]).toEqual([[], []]);
  return events.flatMap(({ type, item: added, delta }) => {
    if (type === 'response.output_item.done') return ['done'];
    const { call_id: id, type: kind } = objectOrEmpty(added);
    if (type === 'response.output_item.added') return [`add ${id ?? kind}`];
    return typeof delta === 'string' ? [delta] : [];
  });
}

/** Expects the same response as a stream and as a whole. */
function expectOutput(script: WriteScript, output: object[], status = 'completed'): void {
  const stream = writeStream(script);
  const whole = writeWhole(script);
  expect(whole.output).toEqual(output);
  expect(whole.response.status).toBe(status);
  expect(withoutTime(stream.response)).toEqual(withoutTime(whole.response));
  expect([streamProblems(stream.text), itemProblems(stream.events)]).toEqual([[], []]);
  expect(responseProblems(whole.response)).toEqual([]);
}

describe('The calls of a stream', () => {
  it('are forwarded as they come, one after the other', () => {
    expect(
      outline((choice) => {
        const a = look(choice, 'a', '{"n":');
        a.arguments('1}');
        const b = look(choice, 'b', '{"m"');
        b.arguments(':2}');
        choice.finish('tool_calls');
      }),
    ).toEqual(['add a', '{"n":', '1}', 'done', 'add b', '{"m"', ':2}', 'done']);
  });

  it('wait for the open one until its arguments are complete, and for those before them', () => {
    expect(
      outline((choice) => {
        const a = look(choice, 'a', '{"n":"}');
        const b = look(choice, 'b', '{');
        look(choice, 'c', '{}');
        choice.text('Done');
        b.arguments('"m":');
        a.arguments('"');
        a.arguments('}');
        b.arguments('2}');
        choice.text('.');
        choice.finish('tool_calls');
      }),
    ).toEqual([
      ...['add a', '{"n":"}', '"', '}', 'done'],
      ...['add b', '{', '"m":', '2}', 'done'],
      ...['add c', '{}', 'done'],
      ...['add message', 'Done', '.', 'done'],
    ]);
  });

  it('have one delta without arguments, in the order in which the calls begin', () => {
    expect(
      outline((choice) => {
        const a = look(choice, 'a');
        look(choice, 'b', '{}');
        a.arguments(' ');
        choice.finish('tool_calls');
      }),
    ).toEqual(['add a', '{}', 'done', 'add b', '{}', 'done']);
  });

  it('begin with the whole name, and end with it', () => {
    const { events } = writeStream((choice) => {
      const first = choice.toolCall({ id: 'a', name: 'get_', mayContinueName: true });
      first.name('weather');
      first.arguments('{}');
      choice.toolCall({ id: 'b', name: 'go', mayContinueName: true }).name('_on');
      choice.toolCall({ id: 'c', name: 'stop', mayContinueName: true });
      choice.finish('tool_calls');
    });
    const namesOf = (type: string) =>
      events.flatMap((event) => (event.type === type ? [objectOrEmpty(event.item).name ?? event.name] : []));
    for (const type of ['output_item.added', 'function_call_arguments.done', 'output_item.done'])
      expect(namesOf(`response.${type}`)).toEqual(['get_weather', 'go_on', 'stop']);
    expect(itemProblems(events)).toEqual([]);
  });
});

describe('The arguments of a call', () => {
  it.each<[deltas: string[], json: string]>([
    [['{"a":', '[1,{"b":null}]}'], '{"a":[1,{"b":null}]}'],
    [['\n {"a":"é🙂"} \n'], '\n {"a":"é🙂"} \n'],
    [['{"n":9007199254740993,"m":[1.0,1e400,-0.10]}'], '{"n":9007199254740993,"m":[1.0,1e400,-0.10]}'],
    [[], '{}'],
    [[''], '{}'],
    [[' ', '\n'], '{}'],
    [['nu', 'll'], '{}'],
    [['""'], '{}'],
  ])('of %j are %j', (deltas, json) => {
    expectOutput(
      (choice) => {
        const call = look(choice, 'a');
        for (const delta of deltas) call.arguments(delta);
        choice.finish('tool_calls');
      },
      [item('a', 0, json)],
    );
  });

  it.each(['{"a":1', '{"a":1}{"b":2}', '{"a":1,}', '[1]', '"text"', '7', 'true', 'nope', '{"a":1}]'])(
    'are an error if the response ends regularly with %s, without an end of the call',
    (json) => {
      const script: WriteScript = (choice) => {
        look(choice, 'ok', '{}');
        choice.toolCall({ id: 'a', name: 'find', mayContinueName: true }).arguments(json);
        choice.text('Hi');
        choice.finish('tool_calls');
      };
      const stream = writeStream(script);
      for (const { facts, response } of [stream, writeWhole(script)]) {
        expect(facts.error?.message).toBe(
          'The provider some sent a call of the tool find whose arguments are not the JSON object that it takes',
        );
        expect([facts.error?.code, facts.ended, facts.finished, response]).toEqual([
          'provider_error',
          false,
          true,
          {},
        ]);
      }
      const done = stream.events.filter(({ type }) => String(type).endsWith('.done'));
      expect(done.map(({ output_index: index }) => index)).toEqual([0, 0]);
    },
  );

  it.each(['{"a":1,"b":[2,3],"c":"x', '{"a"', ''])(
    'are as far as they came in a response that is cut off after %j',
    (json) => {
      expectOutput(
        (choice) => {
          look(choice, 'a', '{"n":1}');
          look(choice, 'b', json);
          choice.finish('length');
        },
        [item('a', 0, '{"n":1}'), item('b', 1, json, { status: 'incomplete' })],
        'incomplete',
      );
    },
  );

  it('can begin with any amount of white space', () => {
    const { output } = writeWhole((choice) => {
      const call = look(choice, 'a');
      for (let count = 0; count < 200_000; count++) call.arguments(' ');
      call.arguments('{"a":1}');
      choice.finish('stop');
    });
    expect(output).toEqual([item('a', 0, `${' '.repeat(200_000)}{"a":1}`)]);
  });
});

describe('The ids of calls', () => {
  it('are replaced if they are missing or those of others', () => {
    const { output } = writeWhole((choice) => {
      for (const id of ['a', 'a', '', null]) choice.toolCall({ id, name: 'look' });
      choice.finish('stop');
    });
    expect(output.map(({ call_id: id }) => id)).toEqual([
      'a',
      ...[1, 2, 3].map((index) => `call_8c007d2e9f3a5b6c7d8e9f02_0_${index}`),
    ]);
  });
});

describe('The name of a call', () => {
  it('is within the group of its tool', () => {
    expectOutput(
      (choice) => {
        choice.toolCall({ id: 'a', name: 'look', namespace: 'team' }).arguments('{}');
        choice.toolCall({ id: 'b', name: 'look', namespace: null }).arguments('{}');
        choice.finish('tool_calls');
      },
      [item('a', 0, '{}', { namespace: 'team' }), item('b', 1, '{}')],
    );
  });
});
