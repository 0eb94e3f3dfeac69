import { describe, expect, it } from 'vitest';
import { readNumber } from '#lambdas/platform/dynamodb/attributes.ts';

describe('a number of DynamoDB', () => {
  it.each([
    ['0', 0],
    ['-17', -17],
    ['999999999999999', 999_999_999_999_999],
    ['9999999999999999', '9999999999999999'],
    ['0.1', '0.1'],
    ['-0.000000000001', '-0.000000000001'],
    ['1E-12', '0.000000000001'],
    ['-4.72e-3', '-0.00472'],
    ['12.5E1', 125],
    ['12.5E+3', 12_500],
    ['1.25E1', '12.5'],
    ['123456789012345678901234567890.12345678', '123456789012345678901234567890.12345678'],
  ])('that comes as %s is %j', (text, number) => {
    expect(readNumber(text)).toBe(number);
  });
});
