import { describe, expect, it } from 'vitest';
import { encodeVector, isEncodedAs } from '#lambdas/inference/embeddings/vectors.ts';
import { fc } from '#test/support/fast-check.ts';

const maxFloat = (2 - 2 ** -23) * 2 ** 127;

/** Every 32-bit float but infinities and NaN, which are no parts of a vector. */
const float = fc.oneof(
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  // Subnormal numbers are a small part of all floats.
  fc.integer({ min: 1, max: 0x7f_ff_ff }).map((bits) => bits * 2 ** -149),
  fc.constantFrom(0, -0, 2 ** -149, -(2 ** -149), 2 ** -126, maxFloat, -maxFloat),
);
const vector = fc.array(float, { minLength: 1, maxLength: 40 });

/** The little-endian bytes, written independently of the code under test. */
function bytesOf(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [index, number] of numbers.entries()) bytes.writeFloatLE(number, index * 4);
  return bytes;
}

const toJson = (value: unknown) => JSON.stringify(value);

describe('Vectors', () => {
  it('keep every bit as base64', () => {
    fc.assert(
      fc.property(vector, (numbers) => {
        expect(encodeVector(numbers, 'base64')).toBe(toJson(bytesOf(numbers).toString('base64')));
      }),
    );
  });

  it('keep every bit as decimals', () => {
    fc.assert(
      fc.property(vector, (numbers) => {
        const decimals: unknown = JSON.parse(encodeVector(bytesOf(numbers).toString('base64'), 'float'));

        // `toEqual` distinguishes -0 from 0.
        expect(decimals).toEqual(numbers);
      }),
    );
  });

  it('keep every bit from base64 to decimals and back', () => {
    fc.assert(
      fc.property(vector, (numbers) => {
        const base64 = bytesOf(numbers).toString('base64');
        const decimals: unknown = JSON.parse(encodeVector(base64, 'float'));

        expect(encodeVector(decimals, 'base64')).toBe(toJson(base64));
      }),
    );
  });

  it('keep the value of every decimal that the provider sends', () => {
    const decimal = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.array(decimal, { minLength: 1 }), (numbers) => {
        expect(JSON.parse(encodeVector(numbers, 'float'))).toEqual(numbers);
      }),
    );
  });

  it('are rounded to the nearest 32-bit float as base64', () => {
    expect(encodeVector([0.1, 1e-46], 'base64')).toBe(
      toJson(Buffer.from('cdcccc3d00000000', 'hex').toString('base64')),
    );
  });

  it('are not changed as base64 that stays base64', () => {
    expect(encodeVector('zczMPQ==', 'base64')).toBe('"zczMPQ=="');
  });

  it.each([
    ['an empty list', [], 'float'],
    ['an empty list', [], 'base64'],
    ['an empty text', '', 'float'],
    ['five bytes', Buffer.alloc(5).toString('base64'), 'float'],
    ['infinity', bytesOf([Number.POSITIVE_INFINITY]).toString('base64'), 'float'],
    ['NaN', bytesOf([Number.NaN]).toString('base64'), 'float'],
    ['a number that JavaScript cannot represent', JSON.parse('[1e999]'), 'float'],
    ['a number beyond the largest 32-bit float', [3.5e38], 'base64'],
    ['a list of texts', ['1'], 'float'],
    ['a list with null', [1, null], 'base64'],
    ['a list of lists', [[1]], 'base64'],
    ['null', null, 'float'],
    ['undefined', undefined, 'base64'],
    ['a number', 1, 'float'],
  ] as const)('are no %s, %j, as %s', (_, value, encoding) => {
    expect(() => encodeVector(value, encoding)).toThrow(
      'The provider sent an embedding that is not a vector',
    );
  });

  it('are recognized by their type', () => {
    expect(isEncodedAs('zczMPQ==', 'base64')).toBe(true);
    expect(isEncodedAs([0.1], 'base64')).toBe(false);
    expect(isEncodedAs([0.1], 'float')).toBe(true);
    expect(isEncodedAs('zczMPQ==', 'float')).toBe(false);
    expect(isEncodedAs(null, 'float')).toBe(false);
  });
});
