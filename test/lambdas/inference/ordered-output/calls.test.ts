/** Calls are the same in all formats whose responses are a list of parts in order: one at a time, each with its whole input. */
import { describe, expect, it } from 'vitest';
import type { ChoiceSink, ToolCallSink } from '#lambdas/inference/completion/sink.ts';
import type { WriteScript } from '#test/support/messages/write.ts';
import { eachFormat, expectParts, writeText } from '#test/support/translation/ordered-formats.ts';

const look = (choice: ChoiceSink, id: string, argumentsText?: string): ToolCallSink => {
  const call = choice.toolCall({ id, name: 'look' });
  if (argumentsText !== undefined) call.arguments(argumentsText);
  return call;
};

describe.each(eachFormat)('In the format of %s', (_, format) => {
  const { emptyCall, part } = format;
  const outline = (script: WriteScript): string[] => {
    const { text } = writeText(format, script, { stream: true });
    expect(format.problems(text, true)).toEqual([]);
    return format.outline(text);
  };

  describe('the calls of a stream', () => {
    it('are forwarded as they come, one after the other', () => {
      expect(
        outline((choice) => {
          const a = look(choice, 'a', '{"n":');
          a.arguments('1}');
          const b = look(choice, 'b', '{"m"');
          b.arguments(':2}');
          choice.finish('tool_calls');
        }),
      ).toEqual([...['start look a', '{"n":', '1}', 'stop'], ...['start look b', '{"m"', ':2}', 'stop']]);
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
        ...['start look a', '{"n":"}', '"', '}', 'stop'],
        ...['start look b', '{', '"m":', '2}', 'stop'],
        ...['start look c', '{}', 'stop'],
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
      ).toEqual(['start look a', ...emptyCall, 'stop', 'start look b', '{}', 'stop']);
    });

    it('begin with the whole name', async () => {
      const script: WriteScript = (choice) => {
        const first = choice.toolCall({ id: 'a', name: 'get_', mayContinueName: true });
        first.name('weather');
        first.arguments('{}');
        choice.toolCall({ id: 'b', name: 'go', mayContinueName: true }).name('_on');
        choice.toolCall({ id: 'c', name: 'stop', mayContinueName: true });
        choice.finish('tool_calls');
      };
      expect(outline(script)).toEqual([
        ...['start get_weather a', '{}', 'stop'],
        ...['start go_on b', ...emptyCall, 'stop'],
        ...['start stop c', ...emptyCall, 'stop'],
      ]);
      const calls = [
        { call: 'a', name: 'get_weather' },
        { call: 'b', name: 'go_on' },
        { call: 'c', name: 'stop' },
      ];
      await expectParts(format, script, calls.map(part));
    });
  });

  describe('the input of a call', () => {
    it.each<[deltas: string[], json: string]>([
      [['{"a":', '[1,{"b":null}]}'], '{"a":[1,{"b":null}]}'],
      [['\n {"a":"é🙂"} \n'], '\n {"a":"é🙂"} \n'],
      [[], '{}'],
      [[''], '{}'],
      [[' ', '\n'], '{}'],
      [['nu', 'll'], '{}'],
      [['""'], '{}'],
    ])('of %j is %j', async (deltas, json) => {
      const script: WriteScript = (choice) => {
        const call = look(choice, 'a');
        for (const delta of deltas) call.arguments(delta);
        choice.finish('tool_calls');
      };
      await expectParts(format, script, [part({ call: 'a', json }, 0)]);
    });

    it.each([' ', 'x'])('can begin with any number of %j', (delta) => {
      const script: WriteScript = (choice) => {
        const call = look(choice, 'a');
        for (let count = 0; count < 200_000; count++) call.arguments(delta);
        call.arguments('{"a":1}');
        choice.finish('stop');
      };
      const { text, facts } = writeText(format, script, { stream: false });
      const json = `${' '.repeat(200_000)}{"a":1}`;
      const parts = delta === ' ' ? [part({ call: 'a', json }, 0)] : undefined;
      expect(text === '' ? undefined : JSON.parse(text)[format.list]).toEqual(parts);
      expect(facts.error === null).toBe(delta === ' ');
    });

    it.each(['{"a":1', '{"a":1}{"b":2}', '{"a":1,}', '[1]', '"text"', '7', 'true', 'nope', '{"a":1}]'])(
      'is an error if the response ends regularly with %s, without an end of the call',
      (json) => {
        const script: WriteScript = (choice) => {
          look(choice, 'ok', '{}');
          choice.toolCall({ id: 'a', name: 'find', mayContinueName: true }).arguments(json);
          look(choice, 'other', '{}');
          choice.text('Hi');
          choice.finish('tool_calls');
        };
        for (const stream of [true, false]) {
          const { text, facts } = writeText(format, script, { stream });
          expect(facts.error).toMatchObject({
            code: 'provider_error',
            message:
              'The provider some sent a call of the tool find whose arguments are not the JSON object that it takes',
          });
          expect([facts.ended, facts.finished, format.hasEnd(text)]).toEqual([false, true, false]);
          const sent = json.startsWith('{') ? [json] : [];
          const events = ['start look ok', '{}', 'stop', 'start find a', ...sent];
          expect(format.outline(text)).toEqual(stream ? events : []);
        }
      },
    );
  });

  it('the ids of calls are replaced if they are missing or those of others', async () => {
    await expectParts(
      format,
      (choice) => {
        for (const id of ['a', 'a', '', null]) choice.toolCall({ id, name: 'look' });
        choice.finish('stop');
      },
      ['a', ...[1, 2, 3].map((index) => `call_8c007d2e9f3a5b6c7d8e9f02_0_${index}`)].map((call, index) =>
        part({ call }, index),
      ),
    );
  });
});
