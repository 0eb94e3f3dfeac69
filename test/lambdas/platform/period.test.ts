import { describe, expect, it } from 'vitest';
import {
  endOfPeriod,
  type Period,
  parsePeriodText,
  periodText,
  startOfPeriod,
} from '#lambdas/platform/period.ts';

const at = (text: string) => Date.parse(text);
const iso = (timestampMs: number) => new Date(timestampMs).toISOString();

describe('Periods', () => {
  it.each<[Period, string, string, string]>([
    ['month', '2024-02', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ['day', '2024-02-29', '2024-02-29T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ['hour', '2024-02-29T23', '2024-02-29T23:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ['minute', '2024-02-29T23:59', '2024-02-29T23:59:00.000Z', '2024-03-01T00:00:00.000Z'],
  ])('formats a %s and computes its start and end', (period, text, start, end) => {
    const inside = at('2024-02-29T23:59:59.999Z');
    expect(periodText(period, inside)).toBe(text);
    expect(iso(parsePeriodText(text))).toBe(start);
    expect(iso(startOfPeriod(period, inside))).toBe(start);
    expect(iso(endOfPeriod(period, inside))).toBe(end);
  });

  it('ends December at the start of January', () => {
    expect(iso(endOfPeriod('month', at('2025-12-31T23:59:59.999Z')))).toBe('2026-01-01T00:00:00.000Z');
    expect(iso(startOfPeriod('month', at('2026-01-01T00:00:00.000Z')))).toBe('2026-01-01T00:00:00.000Z');
  });
});
