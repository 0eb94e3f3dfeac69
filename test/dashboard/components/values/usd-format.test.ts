import { describe, expect, it } from 'vitest';
import { checkAmount, normalizeAmount } from '#dashboard/components/forms/limit-fields.tsx';
import { formatExactUsd, formatUsd } from '#dashboard/components/values/usd-format.ts';
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

describe('The amount of a budget', () => {
  it.each(['250', '99.5', ' $ 0.000001 ', '999999999'])('can be "%s"', (value) => {
    expect(checkAmount(value)).toBeNull();
    expect(Number(normalizeAmount(value))).toBeGreaterThan(0);
  });

  it.each(['', 'ten', '-1', '1,000', '1.0000001', '1e3', '1234567890', '0', '0.00'])(
    'cannot be "%s"',
    (value) => {
      expect(checkAmount(value)).toMatch(/^Enter an amount/);
    },
  );
});
