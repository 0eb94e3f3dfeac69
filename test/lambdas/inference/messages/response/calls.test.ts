import { describe, expect, it } from 'vitest';
import type { ChoiceSink, ToolCallSink } from '#lambdas/inference/completion/sink.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { messageProblems, streamProblems } from '#test/support/messages/validate.ts';
import { assembleMessage, type WriteScript, writeStream, writeWhole } from '#test/support/messages/write.ts';

const block = (id: string, input: JsonObject, name = 'look') => ({
  type: 'tool_use',
  id,
  name,
  input,
  caller: { type: 'direct' },
});
const look = (choice: ChoiceSink, id: string, argumentsText?: string): ToolCallSink => {
  const call = choice.toolCall({ id, name: 'look' });
  if (argumentsText !== undefined) call.arguments(argumentsText);
  return call;
};

/** The events of blocks, in short: their starts, the deltas, and where they stop. */
function outline(write: WriteScript): string[] {
  const { text, events } = writeStream(write);
  expect(streamProblems(text)).toEqual([]);
  return events.flatMap(({ type, content_block, delta }: JsonObject) => {
    if (type === 'content_block_stop') return ['stop'];
    const { id, type: kind } = { ...(content_block as JsonObject) };
    if (type === 'content_block_start') return [`start ${id ?? kind}`];
    if (type !== 'content_block_delta') return [];
    const { partial_json: json, text: words } = delta as JsonObject;
    return [String(json ?? words)];
  });
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
    ).toEqual(['start a', '{"n":', '1}', 'stop', 'start b', '{"m"', ':2}', 'stop']);
  });

  it('wait for the open one until its input is complete, and for those before them', () => {
    expect(
      outline((choice) => {
        const a = look(choice, 'a', '{"n":"}');
        const b = look(choice, 'b', '{');
        const c = look(choice, 'c', '{}');
        choice.text('Done');
        b.arguments('"m":');
        a.arguments('"');
        a.arguments('}');
        b.arguments('2}');
        c.arguments('');
        choice.text('.');
        choice.finish('tool_calls');
      }),
    ).toEqual([
      ...['start a', '{"n":"}', '"', '}', 'stop'],
      ...['start b', '{', '"m":', '2}', 'stop'],
      ...['start c', '{}', 'stop'],
      ...['start text', 'Done', '.', 'stop'],
    ]);
  });

  it('wait for one without input until the end, whatever order their parts have', () => {
    expect(
      outline((choice) => {
        const a = look(choice, 'a');
        look(choice, 'b', '{}');
        a.arguments(' ');
        choice.finish('tool_calls');
      }),
    ).toEqual(['start a', 'stop', 'start b', '{}', 'stop']);
  });

  it('begin with the whole name', () => {
    const { events } = writeStream((choice) => {
      const first = choice.toolCall({ id: 'a', name: 'get_', mayContinueName: true });
      first.name('weather');
      first.arguments('{}');
      choice.toolCall({ id: 'b', name: 'go', mayContinueName: true }).name('_on');
      choice.toolCall({ id: 'c', name: 'stop', mayContinueName: true });
      choice.finish('tool_calls');
    });
    expect(events.flatMap(({ content_block }) => content_block ?? [])).toEqual([
      block('a', {}, 'get_weather'),
      block('b', {}, 'go_on'),
      block('c', {}, 'stop'),
    ]);
  });
});

describe('The input of a call', () => {
  it.each<[deltas: string[], input: JsonObject]>([
    [['{"a":', '[1,{"b":null}]}'], { a: [1, { b: null }] }],
    [['\n {"a":"é🙂"} \n'], { a: 'é🙂' }],
    [[], {}],
    [[''], {}],
    [[' ', '\n'], {}],
    [['nu', 'll'], {}],
    [['""'], {}],
  ])('of %j is %j', async (deltas, input) => {
    const script: WriteScript = (choice) => {
      const call = look(choice, 'a');
      for (const delta of deltas) call.arguments(delta);
      choice.finish('tool_calls');
    };
    const stream = writeStream(script);
    const { message, content } = writeWhole(script);
    expect(content).toEqual([block('a', input)]);
    expect((await assembleMessage(stream.text)).content).toEqual([block('a', input)]);
    expect([streamProblems(stream.text), messageProblems(message)]).toEqual([[], []]);
  });

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

  it.each([' ', 'x'])('can begin with any number of %j', (delta) => {
    const { content, facts } = writeWhole((choice) => {
      const call = look(choice, 'a');
      for (let count = 0; count < 200_000; count++) call.arguments(delta);
      if (delta === ' ') call.arguments('{"a":1}');
      choice.finish('stop');
    });
    expect(content).toEqual(delta === ' ' ? [block('a', { a: 1 })] : []);
    expect(facts.error === null).toBe(delta === ' ');
  });

  it.each(['{"a":1', '{"a":1}{"b":2}', '{"a":1,}', '[1]', '"text"', '7', 'true', 'nope', '{"a":1}]'])(
    'is an error if the response ends regularly with %s',
    (json) => {
      for (const write of [writeStream, writeWhole]) {
        const { text, facts } = write((choice) => {
          look(choice, 'ok', '{}');
          choice.toolCall({ id: 'a', name: 'find', mayContinueName: true }).arguments(json);
          look(choice, 'other', '{}');
          choice.finish('tool_calls');
        });
        expect(facts.error).toMatchObject({
          code: 'provider_error',
          message:
            'The provider some sent a call of the tool find whose arguments are not the JSON object that it takes',
        });
        expect([facts.ended, facts.finished]).toEqual([false, true]);
        expect(text).not.toMatch(/message_delta|message_stop|stop_reason":"/);
      }
    },
  );

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
    const stream = writeStream(script);
    const { message, content } = writeWhole(script);
    expect(content).toEqual([block('a', { n: 1 }), block('b', input)]);
    expect(message.stop_reason).toBe('max_tokens');
    expect(stream.events.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } });
    expect([streamProblems(stream.text), messageProblems(message)]).toEqual([[], []]);
  });
});

describe('The ids of calls', () => {
  it('are replaced if they are missing or those of others', () => {
    const { content } = writeWhole((choice) => {
      for (const id of ['a', 'a', '', null]) choice.toolCall({ id, name: 'look' });
      choice.finish('stop');
    });
    expect(content.map(({ id }) => id)).toEqual([
      'a',
      ...[1, 2, 3].map((index) => `call_8c007d2e9f3a5b6c7d8e9f02_0_${index}`),
    ]);
  });
});
