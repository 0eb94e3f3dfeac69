import { describe, expect, it } from 'vitest';
import {
  cutWindow,
  endOfPeriod,
  type Period,
  periods,
  periodText,
  startOfPeriod,
  startOfPeriodText,
  type WindowPart,
} from '#lambdas/costs/rollups/period.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { fc } from '#test/support/fast-check.ts';

const at = (text: string) => Date.parse(text);
const iso = (timestampMs: number) => new Date(timestampMs).toISOString();
const readable = ({ source, startMs, endMs }: WindowPart) => [source, iso(startMs), iso(endMs)];
const instant = fc.integer({ min: at('2023-11-01T00:00:00Z'), max: at('2026-03-01T00:00:00Z') });

describe('a period', () => {
  it.each<[Period, string, string, string]>([
    ['month', '2024-02', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ['day', '2024-02-29', '2024-02-29T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ['hour', '2024-02-29T23', '2024-02-29T23:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ['minute', '2024-02-29T23:59', '2024-02-29T23:59:00.000Z', '2024-03-01T00:00:00.000Z'],
  ])('%s has a name, a start and an end', (period, text, start, end) => {
    const inside = at('2024-02-29T23:59:59.999Z');
    expect(periodText(period, inside)).toBe(text);
    expect(iso(startOfPeriodText(text))).toBe(start);
    expect(iso(startOfPeriod(period, inside))).toBe(start);
    expect(iso(endOfPeriod(period, inside))).toBe(end);
  });

  it('begins where the one before ends', () => {
    expect(iso(endOfPeriod('month', at('2025-12-31T23:59:59.999Z')))).toBe('2026-01-01T00:00:00.000Z');
    expect(iso(startOfPeriod('month', at('2026-01-01T00:00:00.000Z')))).toBe('2026-01-01T00:00:00.000Z');
  });
});

describe('cutting a window', () => {
  it('takes whole months from months, and the edges from days, hours, minutes and entries', () => {
    const window = { startMs: at('2026-01-30T22:58:30.500Z'), endMs: at('2026-04-02T01:01:00.001Z') };
    expect(cutWindow(window, 'month', 'minute').map(readable)).toEqual([
      ['entries', '2026-01-30T22:58:30.500Z', '2026-01-30T22:59:00.000Z'],
      ['minute', '2026-01-30T22:59:00.000Z', '2026-01-30T23:00:00.000Z'],
      ['hour', '2026-01-30T23:00:00.000Z', '2026-01-31T00:00:00.000Z'],
      ['day', '2026-01-31T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
      ['month', '2026-02-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
      ['day', '2026-04-01T00:00:00.000Z', '2026-04-02T00:00:00.000Z'],
      ['hour', '2026-04-02T00:00:00.000Z', '2026-04-02T01:00:00.000Z'],
      ['minute', '2026-04-02T01:00:00.000Z', '2026-04-02T01:01:00.000Z'],
      ['entries', '2026-04-02T01:01:00.000Z', '2026-04-02T01:01:00.001Z'],
    ]);
  });

  it('uses no larger and no smaller periods than it is told', () => {
    const window = { startMs: at('2026-01-31T23:30:00Z'), endMs: at('2026-03-01T00:10:00Z') };
    expect(cutWindow(window, 'day', 'hour').map(readable)).toEqual([
      ['entries', '2026-01-31T23:30:00.000Z', '2026-02-01T00:00:00.000Z'],
      ['day', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
      ['entries', '2026-03-01T00:00:00.000Z', '2026-03-01T00:10:00.000Z'],
    ]);
    expect(cutWindow(window, 'hour', 'hour').map(({ source }) => source)).toEqual([
      'entries',
      'hour',
      'entries',
    ]);
  });

  it('needs months alone for all of time', () => {
    expect(cutWindow(allTime, 'month', 'minute')).toEqual([{ source: 'month', ...allTime }]);
  });

  it('leaves what is within one period to the entries, and nothing of an empty window', () => {
    const window = { startMs: at('2026-01-31T23:30:00Z'), endMs: at('2026-01-31T23:59:00Z') };
    expect(cutWindow(window, 'month', 'hour')).toEqual([{ source: 'entries', ...window }]);
    expect(cutWindow({ startMs: 5, endMs: 5 }, 'month', 'minute')).toEqual([]);
  });

  it('covers every window without gap or overlap, in whole periods and within its bounds', () => {
    fc.assert(
      fc.property(instant, instant, fc.constantFrom<Period>('hour', 'minute'), (left, right, smallest) => {
        const window = { startMs: Math.min(left, right), endMs: Math.max(left, right) };
        const parts = cutWindow(window, 'month', smallest);
        let reached = window.startMs;
        for (const { source, startMs, endMs } of parts) {
          expect(startMs).toBe(reached);
          if (source !== 'entries')
            expect([startOfPeriod(source, startMs), startOfPeriod(source, endMs)]).toEqual([startMs, endMs]);
          reached = endMs;
        }
        expect(reached).toBe(window.endMs);
        const counts = new Map<string, number>();
        for (const part of parts)
          counts.set(part.source, (counts.get(part.source) ?? 0) + spansOf(part, smallest));
        expect(counts.get('day') ?? 0).toBeLessThanOrEqual(60);
        expect(counts.get('hour') ?? 0).toBeLessThanOrEqual(46);
        expect(counts.get('minute') ?? 0).toBeLessThanOrEqual(118);
        expect(counts.get('entries') ?? 0).toBeLessThanOrEqual(2);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['2026-07-01T00:00:00.001Z', '2026-08-31T23:59:59.999Z', 'minute', [60, 46, 118, 2]],
    ['2026-07-01T00:00:00.001Z', '2026-09-30T23:59:59.999Z', 'minute', [59, 46, 118, 2]],
    ['2026-07-01T00:00:00.001Z', '2026-08-31T23:59:59.999Z', 'hour', [60, 46, 0, 2]],
  ] as const)('meets its bounds from %s to %s by the %s', (start, end, smallest, expected) => {
    const parts = cutWindow({ startMs: at(start), endMs: at(end) }, 'month', smallest);
    const counts = (['day', 'hour', 'minute', 'entries'] as const).map((source) =>
      parts.filter((part) => part.source === source).reduce((sum, part) => sum + spansOf(part, smallest), 0),
    );
    expect(counts).toEqual(expected);
  });
});

/** How many periods a part has; one that is left to the entries touches one of the smallest. */
function spansOf({ source, startMs, endMs }: WindowPart, smallest: Period): number {
  const period = source === 'entries' ? smallest : source;
  expect(periods).toContain(period);
  let spans = 0;
  for (let reached = startMs; reached < endMs; reached = endOfPeriod(period, reached)) spans += 1;
  return spans;
}
