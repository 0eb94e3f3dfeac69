import { describe, expect, it } from 'vitest';
import { usdFromDecimal } from '#cli/costs/reconcile/report-amount.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { fc } from '#test/support/fast-check.ts';

describe('Amounts of cost reports', () => {
  it.each([
    ['0', '0'],
    ['-0.0', '0'],
    ['0E-6176', '0'],
    ['12.50', '12.5'],
    ['0.000004500000000000000000000000000000000', '0.0000045'],
    ['4.5e-6', '0.0000045'],
    ['-1.5E+2', '-150'],
    ['0.0000000000005', '0.000000000001'],
    ['-0.0000000000005', '-0.000000000001'],
    ['0.00000000000049999', '0'],
    ['9.9999999999995', '10'],
    ['99999999999999.9999999999999', '100000000000000'],
    ['1e-999999', '0'],
  ])('%s is $%s', (text, expected) => {
    expect(usdFromDecimal(text)).toBe(expected);
  });

  it('are divided by a hundred if they are cents', () => {
    expect(usdFromDecimal('123.78912', 2)).toBe('1.2378912');
    expect(usdFromDecimal('-7', 2)).toBe('-0.07');
  });

  it.each([
    '',
    '-',
    '.5',
    '5.',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '1e',
    '1e99',
    '100000000000000',
    '1e9999999',
  ])('cannot be %j', (text) => {
    expect(usdFromDecimal(text)).toBe(null);
  });

  it('do not depend on the exponent with which they are written', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.nat(12), (units, zeros) => {
        const amount = usdFromDecimal(`${units}${'0'.repeat(zeros)}e-${12 + zeros}`);
        expect(amount).toBe(addUsd(usdFromDecimal(`${units}e-12`) ?? '', '0'));
      }),
    );
  });
});
