import { describe, expect, it } from 'vitest';
import { elapsedShare, expectedSpend } from '#lambdas/limits/budgets/expected-spend.ts';
import { hourMs } from '#lambdas/platform/duration.ts';

const day = { startMs: Date.UTC(2026, 10, 30), endMs: Date.UTC(2026, 11, 1) };
const at = (hours: number) => day.startMs + hours * hourMs;

describe('expectedSpend', () => {
  it('takes the rest of the period to cost as much per hour as the elapsed part', () => {
    expect(expectedSpend('3', day, at(6))).toBe('12');
    expect(expectedSpend('3', day, at(23))).toBe('3.130434782609');
    expect(expectedSpend('0', day, at(12))).toBe('0');
  });

  it('is unknown while less than a tenth of the period has elapsed, and the spend after its end', () => {
    expect(expectedSpend('3', day, at(2.4) - 1)).toBe(null);
    expect(expectedSpend('3', day, at(2.4))).toBe('30');
    expect(expectedSpend('3', day, at(24))).toBe('3');
    expect(expectedSpend('3', day, at(30))).toBe('3');
  });
});

describe('elapsedShare', () => {
  it.each([
    [-1, 0],
    [0, 0],
    [6, 0.25],
    [25, 1],
  ])('after %f of 24 hours is %f', (hours, share) => {
    expect(elapsedShare(day, at(hours))).toBe(share);
  });
});
