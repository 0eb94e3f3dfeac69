import { describe, expect, it } from 'vitest';
import { createToolInput, parseToolInput } from '#lambdas/inference/ordered-output/tool-input.ts';
import { fc } from '#test/support/fast-check.ts';

function read(deltas: readonly string[]) {
  const input = createToolInput();
  const sent = deltas.map((delta) => [input.push(delta), input.isComplete()]);
  return { sent, isValid: input.isValid() };
}

describe('The input of a call', () => {
  it('is sent as it comes once it is known to be an object', () => {
    expect(read([' ', '\n', '{"a":', '"}"', '}', ' '])).toEqual({
      sent: [
        ['', false],
        ['', false],
        [' \n{"a":', false],
        ['"}"', false],
        ['}', true],
        [' ', true],
      ],
      isValid: true,
    });
  });

  it.each(['', ' ', 'null', ' null\n', '""'])('is empty as %j', (json) => {
    expect(read([...json])).toEqual({ sent: [...json].map(() => ['', false]), isValid: true });
  });

  it.each(['[1]', '"{}"', '7', 'true', 'nope', 'nul', '[{}]'])(
    'is nothing that can be sent as %j',
    (json) => {
      expect(read([json])).toEqual({ sent: [['', false]], isValid: false });
    },
  );

  it.each(['{', '{"a":1', '{"a":1,}', '{"a":1}{}', '{"a":1} x', '{a:1}', '{"a":1]'])(
    'is invalid as %j, which begins like an object',
    (json) => {
      expect(read([json])).toMatchObject({ sent: [[json, expect.any(Boolean)]], isValid: false });
    },
  );

  it('is valid as any object, wherever its parts are cut', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.nat()), (value, cuts) => {
        const json = JSON.stringify(value);
        const ends = [...cuts.map((cut) => cut % json.length), json.length].sort((a, b) => a - b);
        const { sent, isValid } = read(ends.map((end, at) => json.slice(ends[at - 1] ?? 0, end)));
        expect([sent.map(([text]) => text).join(''), sent.at(-1)?.[1], isValid]).toEqual([json, true, true]);
      }),
    );
  });
});

describe('An input that was cut off', () => {
  it('has the members that are complete', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), fc.nat(), (value, cut) => {
        const json = JSON.stringify(value);
        const part = json.slice(0, cut % (json.length + 1));
        const members: [string, unknown][] = Object.entries(JSON.parse(json));
        const isSent = (count: number) =>
          part.startsWith(`${JSON.stringify(Object.fromEntries(members.slice(0, count))).slice(0, -1)},`);
        // A member is complete if another one follows it.
        const complete = members.filter((_, at) => part === json || isSent(at + 1));
        expect(Object.entries(JSON.parse(JSON.stringify(parseToolInput(part))))).toEqual(complete);
      }),
    );
  });

  it('keeps the digits of its numbers', () => {
    expect(JSON.stringify(parseToolInput('{"n":9007199254740993,"m":[1.0],"o":1'))).toBe(
      '{"n":9007199254740993,"m":[1.0]}',
    );
    expect(parseToolInput('')).toEqual({});
  });
});
