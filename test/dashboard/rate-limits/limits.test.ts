import { describe, expect, it } from 'vitest';
import {
  checkLimit,
  editableLimits,
  limitsText,
  limitText,
  parseLimits,
  setLimits,
} from '#dashboard/rate-limits/limits.ts';
import type { RateLimitsSummary } from '#lambdas/accounts/organizations/responses.ts';
import { maxRateLimits, rateLimitNames } from '#lambdas/limits/rates/rate-limits.ts';
import { fc } from '#test/support/fast-check.ts';

const limits: RateLimitsSummary = { requests_per_minute: 600, tokens_per_minute: null, concurrent: 1 };

describe('The words for rate limits', () => {
  it('have the number of each, and leave out those that are not set', () => {
    expect(limitsText(limits)).toBe('600 requests per minute and 1 concurrent request');
    expect(limitsText({ ...limits, tokens_per_minute: 100_000 }, 'de-DE')).toBe(
      '600 requests per minute, 100.000 tokens per minute, and 1 concurrent request',
    );
    expect(rateLimitNames.map((name) => limitText(name, 1))).toEqual([
      '1 request per minute',
      '1 token per minute',
      '1 concurrent request',
    ]);
  });

  it('say nothing of limits none of which is set', () => {
    const none = { requests_per_minute: null, tokens_per_minute: null, concurrent: null };
    expect([setLimits(none), setLimits(null), setLimits(limits)]).toEqual([null, null, limits]);
  });
});

describe('An entered limit', () => {
  it.each([
    ['', 'en', null],
    ['  ', 'en', null],
    ['600', 'en', 600],
    [' 1,000 ', 'en', 1000],
    ['1.000', 'de', 1000],
    ['10’000', 'de-CH', 10_000],
    ['٦٠٠', 'ar', 600],
  ])('of "%s" in %s is read as %s', (text, locale, value) => {
    expect(checkLimit('requests_per_minute', text, locale)).toBeNull();
    const entered = { requests_per_minute: text, tokens_per_minute: '', concurrent: '' };
    expect(parseLimits(entered, locale).requests_per_minute).toBe(value);
  });

  it.each(['0', '-1', '1.5', 'many', '10,000,001', '1e3', '99999999999999999999'])(
    'of "%s" is refused',
    (text) => {
      expect(checkLimit('requests_per_minute', text, 'en')).toBe(
        'Enter a whole number from 1 to 10,000,000, or nothing for no limit',
      );
    },
  );

  it('has the bounds of the API', () => {
    for (const name of rateLimitNames) {
      const max = maxRateLimits[name];
      expect(checkLimit(name, String(max))).toBeNull();
      expect(checkLimit(name, String(max + 1))).not.toBeNull();
    }
  });

  it('of a country’s digits and separators is that of the field which shows it', () => {
    const limit = (max: number) => fc.option(fc.integer({ min: 1, max }));
    const locale = fc.constantFrom(
      'en-GB',
      'de-DE',
      'de-CH',
      'fr-FR',
      'es-ES',
      'hi-IN',
      'ar-EG',
      'fa-IR',
      'pl-PL',
    );
    const summary = fc.record({
      requests_per_minute: limit(10_000_000),
      tokens_per_minute: limit(10_000_000_000),
      concurrent: limit(100_000),
    });
    fc.assert(
      fc.property(summary, locale, (shown, country) => {
        expect(parseLimits(editableLimits(shown, country), country)).toEqual(shown);
      }),
    );
  });
});
