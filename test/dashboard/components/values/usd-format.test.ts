import { describe, expect, it } from 'vitest';
import {
  formatAlignedUsd,
  formatExactUsd,
  formatUsd,
  isGreaterUsd,
} from '#dashboard/components/values/usd-format.ts';
import { fromUnits, toUnits } from '#lambdas/platform/money.ts';
import { fc } from '#test/support/fast-check.ts';

describe('Amounts', () => {
  it.each([
    ['0', '$0.00'],
    ['0.5', '$0.50'],
    ['0.099', '$0.099'],
    ['0.0951', '$0.095'],
    ['0.00042137', '$0.00042'],
    ['0.000000000001', '$0.000000000001'],
    ['0.999', '$1.00'],
    ['1.005', '$1.01'],
    ['1234.5', '$1,234.50'],
    ['99999999999999999.994', '$99,999,999,999,999,999.99'],
  ])('of %s dollars are shown as %s', (amount, text) => {
    expect(formatUsd(amount, 'en-GB')).toBe(text);
  });

  it('follow the locale', () => {
    expect(formatUsd('1234.5', 'de').replace('\u00a0', ' ')).toBe('1.234,50 $');
  });

  it.each([
    ['0', '$0.00', '0000'],
    ['0.008', '$0.0080', '00'],
    ['0.0078', '$0.0078', '00'],
    ['0.000065', '$0.000065', ''],
    ['0.00000029', '$0.00000029', ''],
    ['0.5', '$0.50', '0000'],
    ['1234.567', '$1,234.57', '0000'],
  ])('%s has both significant digits in a column: %s', (amount, text, fill) => {
    expect(formatAlignedUsd(amount, 'en-GB')).toEqual({ text, fill });
  });

  it('are exact with all decimals', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 24n }).map(fromUnits);
    fc.assert(
      fc.property(amount, (usd) => {
        const text = formatExactUsd(usd, 'en').replaceAll(/[$,]/g, '');
        expect(toUnits(text)).toBe(toUnits(usd));
      }),
    );
  });
});

describe('An amount', () => {
  it('is greater than another to the last digit', () => {
    const amount = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
    fc.assert(
      fc.property(amount, amount, (one, other) => {
        expect(isGreaterUsd(fromUnits(one), fromUnits(other))).toBe(one > other);
        expect(isGreaterUsd(fromUnits(one), fromUnits(one))).toBe(false);
      }),
    );
    expect(isGreaterUsd('200.000000000001', '200')).toBe(true);
    expect(isGreaterUsd('9', '10.00')).toBe(false);
  });

  it.each(['', 'ten', '1e3', '1.', '.5', '--1'])('that is not a decimal is shown as it is: "%s"', (text) => {
    expect(formatUsd(text, 'en')).toBe(text);
  });

  it.each([
    ['-0.00042137', '-$0.00042'],
    ['-1.005', '-$1.01'],
    ['0.10', '$0.10'],
    ['0.0999', '$0.10'],
    ['0.01', '$0.01'],
  ])('of %s is rounded to %s', (amount, text) => {
    expect(formatUsd(amount, 'en')).toBe(text);
  });
});
