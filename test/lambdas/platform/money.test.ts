import { describe, expect, it } from 'vitest';
import { addUsd, subtractUsd, sumCharges, usdFromNumber } from '#lambdas/platform/money.ts';
import { fc } from '#test/support/fast-check.ts';

describe('US dollar amounts', () => {
  it('removes the binary rounding error of a computed price', () => {
    expect(usdFromNumber(0.0032500000000000003)).toBe('0.00325');
    expect(usdFromNumber(0.1 + 0.2)).toBe('0.3');
    expect(usdFromNumber(0)).toBe('0');
    expect(usdFromNumber(1e-12)).toBe('0.000000000001');
    expect(usdFromNumber(1200)).toBe('1200');
  });

  it('rejects a negative amount and NaN', () => {
    expect(() => usdFromNumber(-1)).toThrow(RangeError);
    expect(() => usdFromNumber(Number.NaN)).toThrow(RangeError);
  });

  it('sums charges exactly, where doubles would round', () => {
    const charges = [
      { count: 123_456_789, usdPerMillion: 0.003625 },
      { count: 987_654_321, usdPerMillion: 3.96 },
    ];
    expect(sumCharges(charges)).toBe('3911.558642020125');
    expect(sumCharges([])).toBe('0');
  });

  it('rounds a sum once, at the end, when a price has more than six decimals', () => {
    const aTwelfth = { count: 1, usdPerMillion: 0.08333333333333334 };
    expect(sumCharges([aTwelfth])).toBe('0.000000083333');
    expect(sumCharges(Array.from({ length: 12 }, () => aTwelfth))).toBe('0.000001');
  });

  it('rejects a charge with a fractional count', () => {
    expect(() => sumCharges([{ count: 0.5, usdPerMillion: 1 }])).toThrow(RangeError);
  });

  it('adds ten thousand tenths of a cent to exactly ten dollars', () => {
    const sum = Array.from({ length: 10_000 }, () => '0.001').reduce(addUsd, '0');
    expect(sum).toBe('10');
  });

  it('subtracts, with negative results', () => {
    expect(subtractUsd('1', '0.999999999999')).toBe('0.000000000001');
    expect(subtractUsd('0.5', '1')).toBe('-0.5');
    expect(subtractUsd('12', '12')).toBe('0');
    expect(addUsd('-0.5', '-1.5')).toBe('-2');
    expect(addUsd('-10', '10.000000000001')).toBe('0.000000000001');
    expect(subtractUsd('-0.000000000001', '-3')).toBe('2.999999999999');
  });

  it('rejects text in exponent notation and with more than twelve decimals', () => {
    expect(() => addUsd('0', '0.0000000000001')).toThrow(RangeError);
    expect(() => addUsd('0', '1E-7')).toThrow(SyntaxError);
  });

  it('adds and subtracts exactly, where doubles would round', () => {
    const picodollars = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
    const asText = (units: bigint): string => {
      if (units < 0n) return `-${asText(-units)}`;
      const digits = units.toString().padStart(13, '0');
      return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
    };
    fc.assert(
      fc.property(fc.array(picodollars), (amounts) => {
        const total = amounts.reduce((sum, amount) => sum + amount, 0n);
        expect(amounts.map(asText).reduce(addUsd, '0')).toBe(asText(total));
        expect(amounts.map(asText).reduce(subtractUsd, '0')).toBe(asText(-total));
      }),
    );
  });
});
