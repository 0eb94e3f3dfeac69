import { describe, expect, it } from 'vitest';
import { isKeptNumber, parseExactJson, parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import { fc } from '#test/support/fast-check.ts';

describe('JSON that keeps its numbers', () => {
  it.each([
    '1.0',
    '-0',
    '-0.0',
    '1e3',
    '1E+2',
    '0.10',
    '9007199254740993',
    '123456789012345678901234567890',
    '3.14159265358979323846264338327950288',
    '1e400',
    '1e-400',
  ])('writes %s as it was', (number) => {
    expect(JSON.stringify(parseExactJson(number))).toBe(number);
    expect(JSON.stringify(parseExactJson(`{"a":[{"b":${number}},0]}`))).toBe(`{"a":[{"b":${number}},0]}`);
  });

  it.each(['0', '-7', '42', '0.5', '1.5', '9007199254740991', '1e+21', '1e-7'])(
    'makes a number of %s, which JavaScript writes the same way',
    (number) => {
      expect(parseExactJson(number)).toBe(Number(number));
    },
  );

  it('tells a stand-in from an object', () => {
    expect(isKeptNumber(parseExactJson('1.0'))).toBe(true);
    for (const text of ['1', '{}', '{"rawJSON":"1.0"}', '[1.0]', 'null', '"1.0"']) {
      expect(isKeptNumber(parseExactJson(text))).toBe(false);
    }
  });

  it('reads and writes any JSON without changing it', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const text = JSON.stringify(JSON.parse(json));
        expect(JSON.stringify(parseExactJson(text))).toBe(text);
      }),
    );
  });

  it('keeps keys that JavaScript has a meaning for, as keys and no more', () => {
    const text = '{"__proto__":{"polluted":1.0},"constructor":{"prototype":2},"toString":null}';
    const value = parseExactJsonObject(text);
    expect(Object.keys(value ?? {})).toEqual(['__proto__', 'constructor', 'toString']);
    expect(JSON.stringify(value)).toBe(text);
    expect('polluted' in {}).toBe(false);
  });

  it.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '01', '1.', 'NaN', 'undefined', '{"a":1} {}'])(
    'is undefined for %j, which is none',
    (text) => {
      expect(parseExactJson(text)).toBeUndefined();
    },
  );

  it('is undefined for what is nested deeper than the stack', () => {
    expect(parseExactJson('['.repeat(200_000) + ']'.repeat(200_000))).toBeUndefined();
    expect(parseExactJsonObject('{"a":'.repeat(200_000) + 1 + '}'.repeat(200_000))).toBeNull();
  });

  it.each(['1.0', '1', '[]', 'null', '"{}"', '{'])('has no object in %s', (text) => {
    expect(parseExactJsonObject(text)).toBeNull();
  });
});
