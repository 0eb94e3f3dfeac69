import { describe, expect, it } from 'vitest';
import {
  foldCase,
  type LooseValue,
  looseItems,
  looseJson,
  looseObject,
  parseValue,
  stringOf,
} from '#lambdas/platform/json/loose-json.ts';

const find = (text: string, name: string) => {
  const { values, isNamedExactly } = looseObject(looseJson(text)).find(name);
  return {
    values: values.map(parseValue),
    isNamedExactly,
    isCertain: values.map((value) => value.isCertain),
  };
};

describe('looseObject', () => {
  it('finds the values of all keys that a server may read as the name', () => {
    expect(find(' {"a":0, "max_tokens" : [1]}', 'max_tokens')).toEqual({
      values: [[1]],
      isNamedExactly: true,
      isCertain: [true],
    });
    expect(find('{"max_tokens":1,"MAX_TO\u212aEN\u017f":2,"max_t\\u006fkens":3}', 'max_tokens')).toEqual({
      values: [1, 2, 3],
      isNamedExactly: true,
      isCertain: [false, false, false],
    });
    expect(find('{"Max_Tokens":1}', 'max_tokens')).toEqual({
      values: [1],
      isNamedExactly: false,
      isCertain: [false],
    });
  });

  it('finds nothing certain in a value that is not certain itself', () => {
    const inner = (text: string) =>
      looseObject(looseJson(text))
        .find('a')
        .values.flatMap((value) => looseObject(value).find('b').values)
        .map((value) => [parseValue(value), value.isCertain]);
    expect(inner('{"a":{"b":1}}')).toEqual([[1, true]]);
    expect(inner('{"a":{"b":1},"a":{"b":2,"B":3},"a":[{"b":4}]}')).toEqual([
      [1, false],
      [2, false],
      [3, false],
    ]);
  });

  it.each(['[{"a":1}]', '"{\\"a\\":1}"', '1', 'null'])(
    'finds nothing in a value that is no object: %s',
    (text) => {
      expect(find(text, 'a')).toEqual({ values: [], isNamedExactly: false, isCertain: [] });
    },
  );
});

describe('looseItems', () => {
  const items = (text: string) => [...looseItems(looseJson(text))].map(parseValue);

  it('lists the items of a list, and none of any other value', () => {
    const list = [1, -2.5e3, 'a]"\\', [], [[1, ',']], {}, { a: [']'] }, true, null];
    expect(items(JSON.stringify(list))).toEqual(list);
    expect(items(JSON.stringify(list, null, 2))).toEqual(list);
    expect(items(' [ ] ')).toEqual([]);
    for (const text of ['{"a":[1]}', '"[1]"', '1']) expect(items(text)).toEqual([]);
  });

  it('lists items that are as certain as the list', () => {
    const { values } = looseObject(looseJson('{"A":[1]}')).find('a');
    expect(values.flatMap((value) => [...looseItems(value)]).map(({ isCertain }) => isCertain)).toEqual([
      false,
    ]);
  });
});

describe('stringOf', () => {
  it('returns null for any value but a string', () => {
    const strings = [...looseItems(looseJson('["a\\u0062", "", 1, null, ["a"], {"a":"a"}]'))].map(stringOf);
    expect(strings).toEqual(['ab', '', null, null, null, null]);
  });
});

describe('foldCase', () => {
  it('equates the letters that differ in case, including those outside of ASCII', () => {
    expect(['Type', 'ſ', '\u212a', 'É', 'İ'].map(foldCase)).toEqual(['type', 's', 'k', 'é', 'i̇']);
  });

  it('folds no key to an ASCII name of another length', () => {
    const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
    const toAscii = characters.filter(
      (character) => character > '\x7f' && /[\0-\x7f]/.test(foldCase(character)),
    );
    expect(toAscii).toEqual(['İ', 'ſ', '\u212a']);
    // No name in ASCII contains the combining dot above.
    expect(foldCase('İ')).toBe('i\u0307');
  });
});

describe('A large value', () => {
  const size = 5_000_000;

  it('is read although it is nested too deeply for the call stack', () => {
    const deep = `${'['.repeat(size)}${']'.repeat(size)}`;
    const countIn = ({ values }: { values: LooseValue[] }) =>
      values.flatMap((list) => [...looseItems(list)]).length;
    const body = looseObject(looseJson(`{"a":${deep},"b":[${deep},1],"a":[1,2]}`));
    expect([countIn(body.find('a')), countIn(body.find('b'))]).toEqual([3, 2]);
  });

  it.each([
    ['a long string', `"${'A'.repeat(2 * size)}"`, 0],
    ['escaped quotes', `"${'\\"'.repeat(size)}"`, 0],
    ['many items', `[${'1,'.repeat(size)}1]`, size + 1],
    ['white space', `[${' '.repeat(2 * size)}]`, 0],
  ])('is read in linear time: %s', (_case, value, count) => {
    const { values } = looseObject(looseJson(`{"a":${value}}`)).find('a');
    let items = 0;
    for (const list of values) for (const _ of looseItems(list)) items++;
    expect(items).toBe(count);
  });
});
