import { describe, expect, it } from 'vitest';
import { checkAmount, normalizeAmount } from '#dashboard/components/forms/limit-fields.tsx';
import { checkEmailAddress } from '#dashboard/components/forms/text-field.tsx';
import { fromUnits } from '#lambdas/platform/money.ts';
import { fc } from '#test/support/fast-check.ts';

describe('The amount of a budget', () => {
  it.each([
    ['250', '250'],
    ['99.5', '99.5'],
    [' $ 0.000001 ', '0.000001'],
    ['$7', '7'],
    ['999999999', '999999999'],
    ['00.10', '00.10'],
    ['1,000', '1000'],
    ['1 $', '1'],
    ['٣', '3'],
  ])('can be "%s", which is sent as %s', (value, amount) => {
    expect(checkAmount(value, 'en')).toBeNull();
    expect(normalizeAmount(value, 'en')).toBe(amount);
  });

  it.each(['', 'ten', '-1', '1.0000001', '1e3', '1234567890', '$$1', '.5', '5.', '1 000'])(
    'cannot be "%s"',
    (value) => {
      expect(checkAmount(value, 'en')).toBe('Enter an amount of US dollars, such as 250 or 99.50');
    },
  );

  it('is typed in as the page shows it', () => {
    for (const shown of ['0,0002', '0,0002 $', '0.0002']) {
      expect(checkAmount(shown, 'de-DE')).toBeNull();
      expect(normalizeAmount(shown, 'de-DE')).toBe('0.0002');
    }
    expect(checkAmount('ten', 'de-DE')).toBe('Enter an amount of US dollars, such as 250 or 99,50');
  });

  it.each(['0', '0.00', '$0', '000'])('is above 0, unlike "%s"', (value) => {
    expect(checkAmount(value, 'en')).toBe('Enter an amount above 0');
  });

  it('can be any above 0 with nine digits and six decimals', () => {
    // A unit of money is a trillionth of a dollar.
    const micros = fc.bigInt({ min: 1n, max: 999_999_999_999_999n });
    fc.assert(
      fc.property(micros, (count) => {
        expect(checkAmount(fromUnits(count * 1_000_000n), 'en')).toBeNull();
      }),
    );
  });
});

describe('An e-mail address', () => {
  it.each(['ada@example.com', ' ada@example.com ', 'a.b+c@sub.example.co.uk', 'ä@ö.de'])(
    'can be "%s"',
    (text) => {
      expect(checkEmailAddress(text)).toBeNull();
    },
  );

  it.each([
    '',
    'ada',
    'ada@',
    'ada@example',
    '@example.com',
    'a b@example.com',
    'a@b@example.com',
    'ada@.',
    'a@b.',
  ])('cannot be "%s"', (text) => {
    expect(checkEmailAddress(text)).toBe('Enter an e-mail address, such as name@example.com');
  });
});
