import { describe, expect, it } from 'vitest';
import { rateLimitHeaders } from '#lambdas/limits/rates/headers.ts';
import type { RateState } from '#lambdas/limits/rates/rate-states.ts';
import { fc } from '#test/support/fast-check.ts';

const now = new Date('2026-11-30T16:00:00.250Z');
const requests: RateState = { limit: 60, remaining: 59, resetMs: 1000 };
const tokens: RateState = { limit: 90_000, remaining: 1234.9, resetMs: 59_177 };

const resetText = (resetMs: number) =>
  rateLimitHeaders('openai', { requests: { ...requests, resetMs }, tokens: null }, now)[
    'x-ratelimit-reset-requests'
  ];

describe('The headers of rate limits', () => {
  it("have OpenAI's names and durations", () => {
    expect(rateLimitHeaders('openai', { requests, tokens }, now)).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-limit-tokens': '90000',
      'x-ratelimit-remaining-tokens': '1234',
      'x-ratelimit-reset-tokens': '59.177s',
    });
  });

  it("have Anthropic's names, and times that are rounded up to the second", () => {
    expect(rateLimitHeaders('anthropic', { requests, tokens }, now)).toEqual({
      'anthropic-ratelimit-requests-limit': '60',
      'anthropic-ratelimit-requests-remaining': '59',
      'anthropic-ratelimit-requests-reset': '2026-11-30T16:00:02Z',
      'anthropic-ratelimit-tokens-limit': '90000',
      'anthropic-ratelimit-tokens-remaining': '1234',
      'anthropic-ratelimit-tokens-reset': '2026-11-30T16:01:00Z',
    });
  });

  it.each(['openai', 'anthropic'] as const)('are only those of the limits that exist: %s', (format) => {
    const both = rateLimitHeaders(format, { requests, tokens }, now);
    const names = Object.keys(both);

    expect(Object.keys(rateLimitHeaders(format, { requests, tokens: null }, now))).toEqual(names.slice(0, 3));
    expect(Object.keys(rateLimitHeaders(format, { requests: null, tokens }, now))).toEqual(names.slice(3));
    expect(rateLimitHeaders(format, { requests: null, tokens: null }, now)).toEqual({});
  });

  it('leave nothing and need no time at least', () => {
    const overdrawn = { limit: 100, remaining: -20, resetMs: -5 };

    expect(rateLimitHeaders('openai', { requests: null, tokens: overdrawn }, now)).toEqual({
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '0s',
    });
    expect(
      rateLimitHeaders('anthropic', { requests: null, tokens: overdrawn }, now)[
        'anthropic-ratelimit-tokens-reset'
      ],
    ).toBe('2026-11-30T16:00:01Z');
  });

  it.each([
    [0, '0s'],
    [0.2, '1ms'],
    [120, '120ms'],
    [999.5, '1s'],
    [1500, '1.5s'],
    [8640, '8.64s'],
    [60_000, '1m0s'],
    [86_400, '1m26.4s'],
    [360_000, '6m0s'],
    [3_600_000, '1h0m0s'],
    [90_061_001, '25h1m1.001s'],
  ])('have durations like those of Go: %d ms', (resetMs, text) => {
    expect(resetText(resetMs)).toBe(text);
  });

  it('have durations whose parts add up to the rounded time', () => {
    const unitsMs: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (resetMs) => {
        const parts = [...(resetText(resetMs) ?? '').matchAll(/([\d.]+)(ms|h|m|s)/g)];
        const sum = parts.reduce(
          (total, [, value, unit = '']) => total + Number(value) * (unitsMs[unit] ?? 0),
          0,
        );
        expect(Math.round(sum)).toBe(resetMs);
      }),
    );
  });
});
