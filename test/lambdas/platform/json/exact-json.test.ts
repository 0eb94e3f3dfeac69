import { describe, expect, it } from 'vitest';
import { isRawNumber, parseExactJson, parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import { fc } from '#test/support/fast-check.ts';

describe('parseExactJson', () => {
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
  ])('round-trips the number %s unchanged', (number) => {
    expect(JSON.stringify(parseExactJson(number))).toBe(number);
    expect(JSON.stringify(parseExactJson(`{"a":[{"b":${number}},0]}`))).toBe(`{"a":[{"b":${number}},0]}`);
  });

  it.each(['0', '-7', '42', '0.5', '1.5', '9007199254740991', '1e+21', '1e-7'])(
    'parses %s as a number, since JavaScript writes it the same way',
    (number) => {
      expect(parseExactJson(number)).toBe(Number(number));
    },
  );

  it('distinguishes the raw JSON object of a number from other objects', () => {
    expect(isRawNumber(parseExactJson('1.0'))).toBe(true);
    for (const text of ['1', '{}', '{"rawJSON":"1.0"}', '[1.0]', 'null', '"1.0"']) {
      expect(isRawNumber(parseExactJson(text))).toBe(false);
    }
  });

  it('round-trips any JSON unchanged', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const text = JSON.stringify(JSON.parse(json));
        expect(JSON.stringify(parseExactJson(text))).toBe(text);
      }),
    );
  });

  it('treats keys such as __proto__ as ordinary keys', () => {
    const text = '{"__proto__":{"polluted":1.0},"constructor":{"prototype":2},"toString":null}';
    const value = parseExactJsonObject(text);
    expect(Object.keys(value ?? {})).toEqual(['__proto__', 'constructor', 'toString']);
    expect(JSON.stringify(value)).toBe(text);
    expect('polluted' in {}).toBe(false);
  });

  it.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '01', '1.', 'NaN', 'undefined', '{"a":1} {}'])(
    'returns undefined for the invalid JSON %j',
    (text) => {
      expect(parseExactJson(text)).toBeUndefined();
    },
  );

  it('returns undefined for JSON that is nested too deeply for the stack', () => {
    expect(parseExactJson('['.repeat(200_000) + ']'.repeat(200_000))).toBeUndefined();
    expect(parseExactJsonObject('{"a":'.repeat(200_000) + 1 + '}'.repeat(200_000))).toBeNull();
  });

  it.each(['1.0', '1', '[]', 'null', '"{}"', '{'])(
    'returns null from parseExactJsonObject for %s',
    (text) => {
      expect(parseExactJsonObject(text)).toBeNull();
    },
  );
});
