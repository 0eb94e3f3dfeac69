import { describe, expect, it } from 'vitest';
import {
  type RawQueryParameters,
  readInteger,
  readQueryParameters,
  readText,
} from '#lambdas/platform/http/query.ts';

const read = (json: string) =>
  readQueryParameters(JSON.parse(json) as RawQueryParameters, ['model', 'limit']);
const badRequest = (param: string, message: string) =>
  expect.objectContaining({ status: 400, param, message });

describe('readQueryParameters', () => {
  it('returns the parameters of the request', () => {
    expect(read('{"model":["__proto__"]}')).toEqual({ model: '__proto__' });
    expect(read('{}')).toEqual({});
  });

  it.each<[string, string, string]>([
    ['{"model":["a","b"]}', 'model', 'model must be given once'],
    ['{"model":[""]}', 'model', 'model must not be empty'],
    ['{"model":[]}', 'model', 'model must not be empty'],
    ['{"models":["a"]}', 'models', 'Unknown query parameter models: valid parameters are model, limit'],
    [
      '{"__proto__":["a"]}',
      '__proto__',
      'Unknown query parameter __proto__: valid parameters are model, limit',
    ],
    [
      '{"constructor":["a"]}',
      'constructor',
      'Unknown query parameter constructor: valid parameters are model, limit',
    ],
    ['{"toString":[]}', 'toString', 'Unknown query parameter toString: valid parameters are model, limit'],
  ])('returns 400 and names the parameter for %s', (json, param, message) => {
    expect(() => read(json)).toThrow(badRequest(param, message));
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('truncates a long unknown name in the error', () => {
    const name = 'a'.repeat(64);
    expect(() => read(`{"${name}b":["1"]}`)).toThrow(
      badRequest(name, `Unknown query parameter ${name}: valid parameters are model, limit`),
    );
  });

  it('rejects every parameter when the endpoint has none', () => {
    expect(() => readQueryParameters({ a: ['1'] }, [])).toThrow(
      badRequest('a', 'Unknown query parameter a: this endpoint has no query parameters'),
    );
  });
});

describe('readText', () => {
  it.each(['a', '😀'.repeat(64), '模'.repeat(85)])('accepts %j, which has at most 256 bytes', (text) => {
    expect(readText('p', text)).toBe(text);
  });

  it.each(['a'.repeat(257), '模'.repeat(86), '\ud800'])('rejects %j', (text) => {
    expect(() => readText('p', text)).toThrow(
      badRequest('p', 'p must be well-formed text of at most 256 bytes'),
    );
  });
});

describe('readInteger', () => {
  it.each(['0', '7', '10', '007'])('accepts %j as an integer in the range', (text) => {
    expect(readInteger('n', text, { min: 0, max: 10 })).toBe(Number(text));
  });

  it.each(['', '-1', '11', '1.0', '1e1', '0x1', ' 1', '٣', '1'.repeat(400)])(
    'rejects %j as an integer in the range',
    (text) => {
      expect(() => readInteger('n', text, { min: 0, max: 10 })).toThrow(
        badRequest('n', 'n must be a whole number from 0 to 10'),
      );
    },
  );
});
