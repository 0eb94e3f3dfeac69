import { describe, expect, it } from 'vitest';
import { addTotals, noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { listGroups, sumGroups, withRest } from '#lambdas/reports/costs/groups/group-list.ts';
import { type GroupOrder, groupOrders } from '#lambdas/reports/costs/groups/order.ts';
import { topGroups } from '#lambdas/reports/costs/groups/selection.ts';
import { fc } from '#test/support/fast-check.ts';

function totals(cost_usd: string, requests = 1): Totals {
  return { ...noTotals, requests, cost_usd, input_tokens: 10 * requests, output_tokens: requests };
}

const byCost = { order: 'cost_usd', isAscending: false, search: null, limit: 10 } as const;

const add = (each: Totals[]) => each.reduce(addTotals, noTotals);

describe('sumGroups', () => {
  it('adds up parts with the same value, and omits groups that cancel each other out', () => {
    const parts = [
      { value: 'a', totals: totals('0.1', 2) },
      { value: 'b', totals: totals('0.7') },
      { value: 'a', totals: totals('0.2') },
      { value: 'b', totals: totals('-0.7', -1) },
    ];
    expect([...sumGroups(parts)]).toEqual([['a', totals('0.3', 3)]]);
  });
});

describe('withRest', () => {
  it('puts the difference to the total under null', () => {
    const parts = [
      { value: 'a', totals: totals('0.1', 2) },
      { value: 'b', totals: totals('0.7') },
      { value: 'a', totals: totals('0.2') },
    ];
    expect([...withRest(sumGroups(parts), totals('1.000000000001', 5), true)]).toEqual([
      ['a', totals('0.3', 3)],
      ['b', totals('0.7')],
      [null, totals('0.000000000001')],
    ]);
  });

  it('returns a null group of attempts alone, and of rejected requests if these are counted', () => {
    const none = sumGroups([]);
    const attempts: Totals = { ...noTotals, fallback_attempts: 1, cost_usd: '0.1' };
    const rejected: Totals = { ...noTotals, rejected_requests: 1 };

    expect([...withRest(none, attempts, false)]).toEqual([[null, attempts]]);
    expect([...withRest(none, rejected, true)]).toEqual([[null, rejected]]);
    expect([...withRest(none, rejected, false)]).toEqual([]);
  });

  it('returns no null group when the parts add up to the total or exceed it', () => {
    const parts = [{ value: 'a', totals: totals('0.1', 2) }];
    expect([...withRest(sumGroups(parts), totals('0.1', 2), true).keys()]).toEqual(['a']);
    expect([...withRest(sumGroups(parts), totals('0.1', 1), true).keys()]).toEqual(['a']);
  });
});

describe('topGroups', () => {
  it('sorts by cost, then by requests, then by value, with null last', () => {
    const groups = new Map([
      ['cheap', totals('9.99')],
      ['B', totals('10', 2)],
      [null, totals('10', 2)],
      ['few', totals('10', 1)],
      ['a', totals('10', 2)],
      ['expensive', totals('10.000000000001')],
      ['none', totals('0', 100)],
    ]);
    expect(topGroups(groups, byCost)).toEqual(['expensive', 'B', 'a', null, 'few', 'cheap', 'none']);
    expect(topGroups(groups, { ...byCost, limit: 2 })).toEqual(['expensive', 'B']);
  });

  it('sorts errors by all requests, whatever they cost', () => {
    const groups = new Map([
      ['expensive', totals('9', 2)],
      ['rejected', { ...totals('0', 0), rejected_requests: 3 }],
      ['both', { ...totals('0', 1), rejected_requests: 1 }],
    ]);
    expect(topGroups(groups, { ...byCost, order: null })).toEqual(['rejected', 'both', 'expensive']);
  });

  it('sorts by each figure in both directions, with groups that do not have it last', () => {
    const group = (fields: Partial<Totals>) => ({ ...noTotals, ...fields });
    const groups = new Map([
      ['few', { ...totals('8', 2), latency_ms: 4000, histograms: { l44: 2, f20: 2 }, timeout_requests: 2 }],
      ['many', { ...totals('9', 9), latency_ms: 900, histograms: { l27: 9, f21: 9 }, timeout_requests: 3 }],
      ['rejected', group({ rejected_requests: 3 })],
    ]);
    const valuesOf = (order: GroupOrder, isAscending: boolean) =>
      topGroups(groups, { ...byCost, order, isAscending }).join(' ');
    const orders = Object.fromEntries(
      groupOrders.map((order) => [order, [valuesOf(order, false), valuesOf(order, true)]]),
    );
    const byCount = ['many few rejected', 'rejected few many'];
    const fewFirst = ['few many rejected', 'many few rejected'];
    expect(orders).toEqual({
      cost_usd: byCount,
      requests: byCount,
      rejected_requests: ['rejected few many', 'few many rejected'],
      tokens: byCount,
      errors: byCount,
      error_rate: fewFirst,
      mean_cost_usd: fewFirst,
      mean_latency_ms: fewFirst,
      latency_p50: fewFirst,
      latency_p95: fewFirst,
      latency_p99: fewFirst,
      time_to_first_token_p50: fewFirst.toReversed(),
      time_to_first_token_p95: fewFirst.toReversed(),
    });
  });

  it('lists only values that contain the text in any case', () => {
    const groups = new Map([
      ['Support-Chat', totals('1')],
      ['search', totals('2')],
      [null, totals('3')],
      ['SUPPORT', totals('4')],
    ]);
    const search = (text: string) => topGroups(groups, { ...byCost, search: text });
    expect([search('sUpp'), search('ch'), search('%')]).toEqual([
      ['SUPPORT', 'Support-Chat'],
      ['search', 'Support-Chat'],
      [],
    ]);
  });

  it('compares costs that differ beyond the precision of a double', () => {
    const groups = new Map([
      ['less', totals('12345678.000000000001')],
      ['more', totals('12345678.000000000002')],
    ]);
    expect(topGroups(groups, { ...byCost, limit: 1 })).toEqual(['more']);
  });
});

describe('listGroups', () => {
  it('adds up the unlisted groups in other', () => {
    const groups = new Map([
      ['a', totals('3')],
      ['b', totals('2', 4)],
      [null, totals('1')],
    ]);
    expect(listGroups(groups, ['a', 'unknown'])).toEqual({
      groups: [{ value: 'a', totals: totals('3') }],
      other: { groups: 2, totals: totals('3', 5) },
    });
    expect(listGroups(groups, ['b', null, 'a'])).toEqual({
      groups: [
        { value: 'b', totals: totals('2', 4) },
        { value: null, totals: totals('1') },
        { value: 'a', totals: totals('3') },
      ],
      other: null,
    });
    expect(listGroups(new Map(), ['a'])).toEqual({ groups: [], other: null });
  });

  it('returns groups and other that always add up to the total', () => {
    const cost = fc.bigInt({ min: 0n, max: 10n ** 15n }).map((units) => {
      const digits = units.toString().padStart(13, '0');
      return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
    });
    const value = fc.option(fc.constantFrom('', 'a', 'b', '#', '__proto__', 'constructor', 'é'));
    const part = fc.record({
      value,
      totals: fc.tuple(cost, fc.integer({ min: 1, max: 9 })).map((args) => totals(...args)),
    });
    fc.assert(
      fc.property(fc.array(part), fc.integer({ min: 1, max: 9 }), (parts, limit) => {
        const all = add(parts.map((each) => each.totals));
        const groups = withRest(sumGroups(parts), all, false);
        const { groups: listed, other } = listGroups(groups, topGroups(groups, { ...byCost, limit }));
        expect(add([...listed.map((each) => each.totals), other?.totals ?? noTotals])).toEqual(all);
        expect(listed.length + (other?.groups ?? 0)).toBe(new Set(parts.map((each) => each.value)).size);
        expect(listed.length).toBeLessThanOrEqual(limit);
      }),
    );
  });
});
