import { describe, expect, it } from 'vitest';
import { seriesLength, seriesOf, splitIntoSeries } from '#lambdas/costs/report/query.ts';
import { fc } from '#test/support/fast-check.ts';

const at = (text: string) => Date.parse(text);

describe('a series', () => {
  it('has an element for every hour that the window touches, cut as the window is', () => {
    const window = { startMs: at('2026-01-31T22:30:00Z'), endMs: at('2026-02-01T01:00:00.001Z') };
    const elements = seriesOf(window, 'hour').map(({ startMs, endMs }) =>
      [startMs, endMs].map((ms) => new Date(ms).toISOString()),
    );
    expect(elements).toEqual([
      ['2026-01-31T22:30:00.000Z', '2026-01-31T23:00:00.000Z'],
      ['2026-01-31T23:00:00.000Z', '2026-02-01T00:00:00.000Z'],
      ['2026-02-01T00:00:00.000Z', '2026-02-01T01:00:00.000Z'],
      ['2026-02-01T01:00:00.000Z', '2026-02-01T01:00:00.001Z'],
    ]);
    expect(seriesOf(window, 'day').map(({ endMs }) => new Date(endMs).toISOString())).toEqual([
      '2026-02-01T00:00:00.000Z',
      '2026-02-01T01:00:00.001Z',
    ]);
  });

  it('has no element where the window is empty', () => {
    const window = { startMs: at('2026-01-31T22:30:00Z'), endMs: at('2026-01-31T22:30:00Z') };
    expect(seriesOf(window, 'hour')).toEqual([]);
    expect(seriesLength(window, 'hour')).toBe(0);
    expect(splitIntoSeries([], { window, interval: 'hour' })).toEqual([]);
  });

  it('takes every instant of the window into the one element that it lies in', () => {
    const instant = fc.integer({ min: at('2026-01-30T00:00:00Z'), max: at('2026-02-02T00:00:00Z') });
    const anyWindow = fc.tuple(instant, instant).map(([one, other]) => ({
      startMs: Math.min(one, other),
      endMs: Math.max(one, other),
    }));
    fc.assert(
      fc.property(
        anyWindow,
        fc.constantFrom('hour', 'day'),
        fc.array(instant),
        (window, interval, instants) => {
          const elements = seriesOf(window, interval);
          const items = [...instants, window.startMs, window.endMs - 1]
            .filter((startMs) => startMs >= window.startMs && startMs < window.endMs)
            .map((startMs) => ({ startMs }));
          const split = splitIntoSeries(items, { window, interval });
          expect([elements.length, split.length]).toEqual(Array(2).fill(seriesLength(window, interval)));
          expect(split).toEqual(
            elements.map((element) =>
              items.filter(({ startMs }) => startMs >= element.startMs && startMs < element.endMs),
            ),
          );
          expect(split.flat()).toHaveLength(items.length);
        },
      ),
    );
  });
});
