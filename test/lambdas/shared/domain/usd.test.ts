import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addUsd, usdFromNumber } from '../../../../lambdas/shared/domain/usd.ts';

describe('money', () => {
  it('is rid of the binary rounding error of a computed price', () => {
    expect(usdFromNumber(0.0032500000000000003)).toBe('0.00325');
    expect(usdFromNumber(0.1 + 0.2)).toBe('0.3');
    expect(usdFromNumber(0)).toBe('0');
    expect(usdFromNumber(1e-12)).toBe('0.000000000001');
    expect(usdFromNumber(1200)).toBe('1200');
  });

  it('refuses what is no amount', () => {
    expect(() => usdFromNumber(-1)).toThrow(RangeError);
    expect(() => usdFromNumber(Number.NaN)).toThrow(RangeError);
  });

  it('adds ten thousand tenths of a cent to exactly ten dollars', () => {
    const sum = Array.from({ length: 10_000 }, () => '0.001').reduce(addUsd, '0');
    expect(sum).toBe('10');
  });

  it('sums to the last digit what doubles would round', () => {
    const picodollars = fc.bigInt({ min: 0n, max: 10n ** 20n });
    const asText = (units: bigint) => {
      const digits = units.toString().padStart(13, '0');
      return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
    };
    fc.assert(
      fc.property(fc.array(picodollars), (amounts) => {
        const total = amounts.reduce((sum, amount) => sum + amount, 0n);
        expect(amounts.map(asText).reduce(addUsd, '0')).toBe(asText(total));
      }),
    );
  });
});
