import { describe, expect, it } from 'vitest';
import {
  addUsd,
  type Charge,
  type ChargeUnit,
  meanUsd,
  relativeChange,
  roundCharges,
  splitUsd,
  subtractUsd,
  sumCharges,
  usdFromNumber,
  wholePercent,
} from '#lambdas/platform/money.ts';
import { fc } from '#test/support/fast-check.ts';

interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

/** The price is decimal text, so that the expected sum does not depend on binary numbers. */
function toFraction({ count, price, per }: { count: number; price: string; per: ChargeUnit }): Fraction {
  const [whole = '', digits = ''] = price.split('.');
  return {
    numerator: BigInt(count) * BigInt(whole + digits),
    denominator: 10n ** BigInt(digits.length) * BigInt(per),
  };
}

function addFractions(left: Fraction, right: Fraction): Fraction {
  return {
    numerator: left.numerator * right.denominator + right.numerator * left.denominator,
    denominator: left.denominator * right.denominator,
  };
}

/** Returns decimal text without trailing zeros. */
function roundHalfUp({ numerator, denominator }: Fraction): string {
  const scaled = numerator * 10n ** 12n;
  const units = scaled / denominator + ((scaled % denominator) * 2n >= denominator ? 1n : 0n);
  const digits = units.toString().padStart(13, '0');
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
}

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

  it('splits an amount in proportion to weights, and gives the remainder to the first part', () => {
    expect(splitUsd('9', ['1', '0', '0.5'])).toEqual(['6', '0', '3']);
    expect(splitUsd('0.00000000001', ['1', '1', '1'])).toEqual([
      '0.000000000004',
      '0.000000000003',
      '0.000000000003',
    ]);
    expect(splitUsd('5', ['0', '0'])).toEqual(['5', '0']);
    expect(splitUsd('0', ['1', '2'])).toEqual(['0', '0']);
  });

  it('sums charges exactly, where doubles would round', () => {
    const charges: Charge[] = [
      { count: 123_456_789, usd: 0.003625, per: 1_000_000 },
      { count: 987_654_321, usd: 3.96, per: 1_000_000 },
      { count: 3, usd: 14, per: 1_000 },
      { count: 10, usd: 0.006, per: 60 },
    ];
    expect(sumCharges(charges)).toBe('3911.601642020125');
    expect(sumCharges([])).toBe('0');
  });

  it('rounds a sum once, at the end, when a price has more than six decimals', () => {
    const aTwelfth: Charge = { count: 1, usd: 0.08333333333333334, per: 1_000_000 };
    expect(sumCharges([aTwelfth])).toBe('0.000000083333');
    expect(sumCharges(Array.from({ length: 12 }, () => aTwelfth))).toBe('0.000001');
    expect(sumCharges(Array.from({ length: 3 }, () => ({ count: 1, usd: 0.01, per: 60 })))).toBe('0.0005');
  });

  it('rounds each charge up or down, so that they add up, and not if it has twelve decimals', () => {
    const half: Charge = { count: 1, usd: 5e-7, per: 1_000_000 };
    const exact: Charge = { count: 3, usd: 1e-6, per: 1_000_000 };
    expect(roundCharges([half, exact, half, exact, half])).toEqual([
      '0.000000000001',
      '0.000000000003',
      '0',
      '0.000000000003',
      '0.000000000001',
    ]);
    expect(roundCharges([])).toEqual([]);
  });

  it.each([
    ['0.000000000001', 500_000],
    ['0', 499_999],
    ['0.000000000002', 1_500_000],
  ])('rounds half up to %s', (expected, count) => {
    expect(sumCharges([{ count, usd: 1e-12, per: 1_000_000 }])).toBe(expected);
  });

  it('returns the sum of any charges as exact fractions, rounded half up once, and rounds charges to this sum', () => {
    const charges = fc.array(
      fc.record({
        count: fc.nat(1_000_000_000),
        price: fc
          .nat({ max: 999 })
          .chain((whole) => fc.stringMatching(/^\d{0,12}$/).map((digits) => `${whole}.${digits}`)),
        per: fc.constantFrom<ChargeUnit>(1_000_000, 1_000, 60),
      }),
    );
    fc.assert(
      fc.property(charges, (drawn) => {
        const sum = drawn.map(toFraction).reduce(addFractions, { numerator: 0n, denominator: 1n });
        const expected = roundHalfUp(sum);

        const numbers = drawn.map(({ price, ...charge }) => ({ ...charge, usd: Number(price) }));
        expect(sumCharges(numbers)).toBe(expected);
        expect(roundCharges(numbers).reduce(addUsd, '0')).toBe(expected);
      }),
    );
  });

  it('rejects a charge with a fractional count', () => {
    expect(() => sumCharges([{ count: 0.5, usd: 1, per: 1_000_000 }])).toThrow(RangeError);
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

  it('divides by a count, rounded half up to twelve decimals', () => {
    expect(meanUsd('10', 4)).toBe('2.5');
    expect(meanUsd('1', 3)).toBe('0.333333333333');
    expect(meanUsd('2', 3)).toBe('0.666666666667');
    expect(meanUsd('0.000000000001', 2)).toBe('0.000000000001');
    expect(meanUsd('0.000000000001', 3)).toBe('0');
    expect(meanUsd('123456789012345.000000000003', 3)).toBe('41152263004115.000000000001');
  });

  it.each([
    ['0', '5', 0],
    ['151.57', '143', 106],
    ['1.999999999999', '3', 67],
    ['0.005', '1', 1],
    ['0.004999999999', '1', 0],
    ['99.4', '100', 99],
    ['99.999999999999', '100', 99],
    ['100', '100', 100],
    ['100.5', '100', 101],
    ['-3', '100', 0],
  ])('is %s of %s: %i percent, 100 only if it is reached', (amount, whole, percent) => {
    expect(wholePercent(amount, whole)).toBe(percent);
  });

  it('tells the change of an amount, rounded half up to four decimals', () => {
    expect(relativeChange('4', '5')).toBe(0.25);
    expect(relativeChange('4', '3')).toBe(-0.25);
    expect(relativeChange('3', '4')).toBe(0.3333);
    expect(relativeChange('3', '1')).toBe(-0.6667);
    expect(relativeChange('1', '1.00005')).toBe(0.0001);
    expect(relativeChange('5', '0')).toBe(-1);
    expect(relativeChange('7', '7')).toBe(0);
    expect(relativeChange('0', '7')).toBeNull();
  });

  it('rejects text in exponent notation and with more than twelve decimals', () => {
    expect(() => addUsd('0', '0.0000000000001')).toThrow(RangeError);
    expect(() => addUsd('0', '1E-7')).toThrow(SyntaxError);
  });

  it('adds and subtracts exactly, where doubles would round', () => {
    const picodollars = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
    const asText = (units: bigint): string => {
      if (units < 0n) return `-${asText(-units)}`;
      return roundHalfUp({ numerator: units, denominator: 10n ** 12n });
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
