import { describe, expect, it } from 'vitest';
import { createTextArgument } from '#lambdas/inference/responses/response/text-argument.ts';
import { character, fc } from '#test/support/fast-check.ts';
import { escapedJson } from '#test/support/responses/escaped-json.ts';

/** Decodes the deltas. */
function decode(deltas: readonly string[]) {
  const argument = createTextArgument();
  const parts = deltas.map(argument.push);
  return { parts, rest: argument.rest(), isValid: argument.isValid() };
}

/** Cuts the text at the positions, which may be anywhere. */
function cut(text: string, positions: readonly number[]): string[] {
  const ends = [...positions.map((position) => position % (text.length + 1)), text.length];
  const sorted = ends.sort((left, right) => left - right);
  return sorted.map((end, at) => text.slice(sorted[at - 1] ?? 0, end));
}

const text = fc.array(fc.oneof(character, fc.constantFrom('\\', '"', '/', '\n', '🙂', '\\u', '\ud83d')));
const space = fc.constantFrom('', ' ', '\n\t ');

/** The arguments of a call, with white space and perhaps other arguments. */
const json = fc
  .record({
    input: text.map((characters) => characters.join('').toWellFormed()).chain(escapedJson),
    before: fc.constantFrom('', '', '"other":"x",', '"inputs":{"input":"no"},', '"n":[1,"\\"input\\""],'),
    after: fc.constantFrom('', '', ',"other":"}"', ',"n":{"input":"no"}'),
    space,
  })
  .map(({ input, before, after, space: blank }) => {
    const member = `"input"${blank}:${blank}${input}`;
    return `${blank}{${blank}${before}${member}${blank}${after}}${blank}`;
  });

describe('The text argument of a call', () => {
  it('is the same as that of the whole JSON, wherever its parts are cut', () => {
    fc.assert(
      fc.property(json, fc.array(fc.nat(), { maxLength: 12 }), (arguments_, positions) => {
        const { parts, rest, isValid } = decode(cut(arguments_, positions));
        expect(`${parts.join('')}${rest}`).toBe(JSON.parse(arguments_).input);
        expect(isValid).toBe(true);
      }),
    );
  });

  it('is decoded character by character', () => {
    const arguments_ = '{"input":"a\\n\\u00e9\\ud83d\\ude42🙂\\"\\\\"}';
    const { parts, rest } = decode([...arguments_]);
    expect(parts.filter((part) => part !== '')).toEqual(['a', '\n', 'é', '🙂', '🙂', '"', '\\']);
    expect(rest).toBe('');
  });

  it.each<[deltas: string[], parts: string[]]>([
    [
      ['{"input":"ab', 'c"}'],
      ['ab', 'c'],
    ],
    [
      ['{"inp', 'ut": ', '"a', '"}'],
      ['', '', 'a', ''],
    ],
    [
      ['{"input":"a\\', 'n"}'],
      ['a', '\n'],
    ],
    [
      ['{"input":"\\u00', 'e9"}'],
      ['', 'é'],
    ],
    [
      ['{"input":"\\ud83d', '\\ude42"}'],
      ['', '🙂'],
    ],
    [
      ['{"input":"\\ud83d\\ude', '42"}'],
      ['', '🙂'],
    ],
    // Half of a character alone cannot become whole any more.
    [
      ['{"input":"\\ud83dx', '"}'],
      ['\ud83dx', ''],
    ],
    [['{"input":""}'], ['']],
    [
      ['{"input":"a"', ',"input2":"b"}'],
      ['a', ''],
    ],
  ])('of %j comes in the parts %j', (deltas, parts) => {
    expect(decode(deltas)).toEqual({ parts, rest: '', isValid: true });
  });

  it.each([
    ['{"other":"x","input":"y"}', 'y'],
    ['{"\\u0069n\\u0070ut":"y"}', 'y'],
  ])('of %j is returned at the end, since it does not come first', (arguments_, rest) => {
    expect(decode([arguments_])).toEqual({ parts: [''], rest, isValid: true });
  });

  it.each(['', '{}', '{"input":5}', '{"input":null}', '{"input":["a"]}', '{"other":"input"}', '["input"]'])(
    'is missing in %j',
    (arguments_) => {
      expect(decode([arguments_])).toEqual({ parts: [''], rest: '', isValid: false });
    },
  );

  it.each(['{"input":"a', '{"input":"a\\', '{"input":"a\\u00'])(
    'has what has arrived of %j, which is cut off',
    (arguments_) => {
      expect(decode([arguments_])).toEqual({ parts: ['a'], rest: '', isValid: false });
    },
  );

  it('can have very many parts', () => {
    const count = 200_000;
    const argument = createTextArgument();
    argument.push('{"input":"');
    let length = 0;
    for (let part = 0; part < count; part++) length += argument.push('abc\\n').length;
    argument.push('"}');
    expect([length, argument.rest(), argument.isValid()]).toEqual([4 * count, '', true]);
  });
});
