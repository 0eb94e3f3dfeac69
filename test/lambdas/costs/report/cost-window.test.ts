import { describe, expect, it } from 'vitest';
import { cutSpans, intersect, mayHaveExpired, roundDown } from '#lambdas/costs/report/plan.ts';
import { fc } from '#test/support/fast-check.ts';

const at = (text: string) => Date.parse(text);
const window = (start: string, end: string) => ({ startMs: at(start), endMs: at(end) });
const nine = window('2026-01-31T09:00:00Z', '2026-01-31T10:00:00Z');

describe('the edges of a window', () => {
  it.each([
    ['2026-01-31T09:00:00Z', '2026-01-31T11:00:00Z', []],
    ['2026-01-31T09:00:00.001Z', '2026-01-31T11:00:00Z', [nine]],
    ['2026-01-31T08:00:00Z', '2026-01-31T09:59:59.999Z', [nine]],
    ['2026-01-31T09:10:00Z', '2026-01-31T09:20:00Z', [nine]],
    ['2026-01-31T09:10:00Z', '2026-01-31T09:10:00Z', []],
    [
      '2026-01-31T09:10:00Z',
      '2026-02-01T00:00:00.001Z',
      [nine, window('2026-02-01T00:00:00Z', '2026-02-01T01:00:00Z')],
    ],
  ])('from %s to %s are the hours that the bounds lie inside of', (start, end, spans) => {
    expect(cutSpans(window(start, end), 'hour')).toEqual(spans);
  });

  it('may have expired from an hour after their end', () => {
    expect(mayHaveExpired(nine, new Date('2026-01-31T10:59:59.999Z'))).toBe(false);
    expect(mayHaveExpired(nine, new Date('2026-01-31T11:00:00.000Z'))).toBe(true);
  });

  it('move down to the start of a span that has expired, and not from its ends', () => {
    expect(roundDown(window('2026-01-31T09:00:00.001Z', '2026-01-31T10:00:00Z'), [nine])).toEqual(nine);
    expect(roundDown(window('2026-01-31T08:30:00Z', '2026-01-31T09:59:59Z'), [nine])).toEqual(
      window('2026-01-31T08:30:00Z', '2026-01-31T09:00:00Z'),
    );
    expect(roundDown(window('2026-01-31T09:10:00Z', '2026-01-31T09:20:00Z'), [nine])).toEqual(
      window('2026-01-31T09:00:00Z', '2026-01-31T09:00:00Z'),
    );
    expect(roundDown(window('2026-01-31T08:30:00Z', '2026-01-31T10:00:00.001Z'), [nine])).toEqual(
      window('2026-01-31T08:30:00Z', '2026-01-31T10:00:00.001Z'),
    );
  });

  it('meet those of the window that follows, whichever spans have expired', () => {
    const instant = fc.integer({ min: at('2026-01-31T00:00:00Z'), max: at('2026-01-31T06:00:00Z') });
    fc.assert(
      fc.property(
        fc.array(instant, { minLength: 3, maxLength: 8 }),
        fc.func(fc.boolean()),
        fc.constantFrom('hour', 'minute'),
        (instants, hasExpired, period) => {
          const bounds = instants.toSorted((one, other) => one - other);
          const windows = bounds.slice(1).map((endMs, place) => ({ startMs: bounds[place] ?? 0, endMs }));
          const rounded = windows
            .filter(({ startMs, endMs }) => startMs < endMs)
            .map((asked) =>
              roundDown(
                asked,
                cutSpans(asked, period).filter(({ startMs }) => hasExpired(startMs)),
              ),
            );
          for (const [place, { endMs }] of rounded.entries()) {
            expect(rounded[place + 1]?.startMs ?? endMs).toBe(endMs);
          }
        },
      ),
    );
  });
});

it('intersects a window with a span', () => {
  expect(intersect(window('2026-01-31T09:30:00Z', '2026-02-01T00:00:00Z'), nine)).toEqual(
    window('2026-01-31T09:30:00Z', '2026-01-31T10:00:00Z'),
  );
});
