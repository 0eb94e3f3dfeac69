import { describe, expect, it } from 'vitest';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import {
  findPartialPeriods,
  type PlanFacts,
  planReads,
  type ReadPlan,
  type RowRead,
} from '#lambdas/reports/costs/plan.ts';
import { parseCostQuery, totalsQuery } from '#lambdas/reports/costs/query.ts';
import { fc } from '#test/support/fast-check.ts';
import { describeParts } from './support/describe-parts.ts';

const at = (text: string) => Date.parse(text);
const window = (start: string, end: string): TimeWindow => ({ startMs: at(start), endMs: at(end) });
const nineOClock = window('2026-01-31T09:00:00Z', '2026-01-31T10:00:00Z');
const now = new Date('2026-05-01T00:00:00Z');

const partialPeriodsOf = (each: TimeWindow, at = now) => findPartialPeriods(each, 'hour', at);

describe('findPartialPeriods', () => {
  it.each([
    ['2026-01-31T09:00:00Z', '2026-01-31T11:00:00Z', []],
    ['2026-01-31T09:00:00.001Z', '2026-01-31T11:00:00Z', [['start', nineOClock]]],
    ['2026-01-31T08:00:00Z', '2026-01-31T09:59:59.999Z', [['end', nineOClock]]],
    ['2026-01-31T09:10:00Z', '2026-01-31T09:20:00Z', [['start', nineOClock]]],
    ['2026-01-31T09:10:00Z', '2026-01-31T09:10:00Z', []],
    [
      '2026-01-31T09:10:00Z',
      '2026-02-01T00:00:00.001Z',
      [
        ['start', nineOClock],
        ['end', window('2026-02-01T00:00:00Z', '2026-02-01T01:00:00Z')],
      ],
    ],
  ])('finds the partial hours of the window from %s to %s', (start, end, expected) => {
    expect(partialPeriodsOf(window(start, end)).map(({ bound, fullPeriod }) => [bound, fullPeriod])).toEqual(
      expected,
    );
  });

  it('treats a partial period as possibly expired from an hour after its end', () => {
    const partial = window('2026-01-31T09:10:00Z', '2026-01-31T09:20:00Z');
    expect(partialPeriodsOf(partial, new Date('2026-01-31T10:59:59.999Z'))).toMatchObject([
      { mayHaveExpired: false },
    ]);
    expect(partialPeriodsOf(partial, new Date('2026-01-31T11:00:00.000Z'))).toMatchObject([
      { mayHaveExpired: true },
    ]);
  });
});

const facts: PlanFacts = { expired: [], span: allTime, countedUntilMs: now.getTime() };

/** The window of a plan that is given expired periods. */
function roundDown(each: TimeWindow, expired: TimeWindow[]): TimeWindow {
  return planReads(totalsQuery(each), { ...facts, expired }).window;
}

describe('The window of planReads', () => {
  it.each([
    ['2026-01-31T09:00:00.001Z', '2026-01-31T10:00:00Z', nineOClock],
    ['2026-01-31T08:30:00Z', '2026-01-31T09:59:59Z', window('2026-01-31T08:30:00Z', '2026-01-31T09:00:00Z')],
    ['2026-01-31T09:10:00Z', '2026-01-31T09:20:00Z', window('2026-01-31T09:00:00Z', '2026-01-31T09:00:00Z')],
    [
      '2026-01-31T08:30:00Z',
      '2026-01-31T10:00:00.001Z',
      window('2026-01-31T08:30:00Z', '2026-01-31T10:00:00.001Z'),
    ],
  ])('moves bounds inside an expired hour to its start: from %s to %s', (start, end, rounded) => {
    expect(roundDown(window(start, end), [nineOClock])).toEqual(rounded);
  });

  it('stays adjacent to the next one, whichever periods have expired', () => {
    const instant = fc.integer({ min: at('2026-01-31T00:00:00Z'), max: at('2026-01-31T06:00:00Z') });
    fc.assert(
      fc.property(
        fc.array(instant, { minLength: 3, maxLength: 8 }),
        fc.func(fc.boolean()),
        (instants, hasExpired) => {
          const bounds = instants.toSorted((one, other) => one - other);
          const windows = bounds.slice(1).map((endMs, index) => ({ startMs: bounds[index] ?? 0, endMs }));
          const rounded = windows
            .filter(({ startMs, endMs }) => startMs < endMs)
            .map((each) => {
              const fullPeriods = partialPeriodsOf(each).map(({ fullPeriod }) => fullPeriod);
              return roundDown(
                each,
                fullPeriods.filter(({ startMs }) => hasExpired(startMs)),
              );
            });
          for (const [index, { endMs }] of rounded.entries()) {
            expect(rounded[index + 1]?.startMs ?? endMs).toBe(endMs);
          }
        },
      ),
    );
  });
});

describe('The reads of planReads', () => {
  function plan(parameters: Record<string, string>, fields: Partial<PlanFacts> = {}): ReadPlan {
    const raw = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value]]));
    return planReads(parseCostQuery(raw, now), { ...facts, ...fields });
  }
  const twoDays = { start: '2026-01-30T23:00:00Z', end: '2026-02-01T23:00:00Z' };

  it('cover a window by the longest periods that the dimension has', () => {
    const start = '2026-01-30T22:58:30.500Z';
    const totals = plan({ start, end: '2026-03-01T00:00:00.001Z' });
    expect(describeParts(partsOf(totals.totalReads))).toEqual([
      'month 2026-02-01T00:00 2026-03-01T00:00 +0',
      'day 2026-01-31T00:00 2026-02-01T00:00 +0',
      'hour 2026-01-30T23:00 2026-01-31T00:00 +0',
      'minute 2026-01-30T22:59 2026-01-30T23:00 +0',
    ]);
    expect(totals.groupReads).toBe(totals.totalReads);
    const errors = plan({ start, end: '2026-03-01T00:59:00Z', group_by: 'error_code' });
    expect(describeParts(partsOf(errors.groupReads))).toEqual([
      'day 2026-01-31T00:00 2026-03-01T00:00 +0',
      'hour 2026-01-30T23:00 2026-01-31T00:00 +0',
    ]);
    expect(describeParts(partsOf(errors.totalReads))).toEqual([
      'month 2026-02-01T00:00 2026-03-01T00:00 +0',
      'day 2026-01-31T00:00 2026-02-01T00:00 +0',
      'hour 2026-01-30T23:00 2026-01-31T00:00 +0',
    ]);
    expect(plan({ start, end: start }).totalReads).toEqual([]);
  });

  it('subtract hours from days only in a series of days or months, and only from final ones', () => {
    expect(describeParts(partsOf(plan(twoDays).totalReads))).toEqual([
      'day 2026-01-31T00:00 2026-02-01T00:00 +0',
      'hour 2026-01-30T23:00 2026-01-31T00:00 +0',
      'hour 2026-02-01T00:00 2026-02-01T23:00 +0',
    ]);
    const byDay = { interval: 'day', time_zone: 'Europe/Berlin' };
    expect(describeParts(partsOf(plan({ ...twoDays, ...byDay }).totalReads))).toEqual([
      'day 2026-01-31T00:00 2026-02-01T00:00 +0',
      'day 2026-02-01T00:00 2026-02-02T00:00 +1',
      'hour 2026-01-30T23:00 2026-01-31T00:00 +0',
      'hour 2026-01-31T23:00 2026-02-01T00:00 +1 -0',
      'hour 2026-02-01T23:00 2026-02-02T00:00 -1',
    ]);
    // A day is final an hour after its end, if everything is counted up to then.
    const onlyFirst = { countedUntilMs: at('2026-02-01T01:00:00Z') };
    expect(describeParts(partsOf(plan({ ...twoDays, ...byDay }, onlyFirst).totalReads))).toEqual([
      'day 2026-01-31T00:00 2026-02-01T00:00 +0',
      'hour 2026-01-30T23:00 2026-01-31T00:00 +0',
      'hour 2026-01-31T23:00 2026-02-01T00:00 +1 -0',
      'hour 2026-02-01T00:00 2026-02-01T23:00 +1',
    ]);
  });

  it('are one for consecutive periods, whatever elements they are added to', () => {
    const { elements, totalReads } = plan({ ...twoDays, interval: 'hour' });
    expect(elements.length).toBe(48);
    expect(totalReads.map(({ period, window: each, parts }) => [period, each, parts.length])).toEqual([
      ['hour', window(twoDays.start, twoDays.end), 48],
    ]);
  });

  it('cover only the time that has rows', () => {
    const span = window('2026-01-01T00:00:00Z', '2026-06-01T00:00:00Z');
    expect(describeParts(partsOf(plan({ prompt_id: 'p' }, { span }).totalReads))).toEqual([
      'month 2026-01-01T00:00 2026-06-01T00:00 +0',
    ]);
    expect(plan({ prompt_id: 'p' }, { span: { startMs: 0, endMs: 0 } }).totalReads).toEqual([]);
  });
});

const partsOf = (reads: readonly RowRead[]) => reads.flatMap(({ parts }) => parts);
