import { describe, expect, it } from 'vitest';
import type { CostRollup } from '#lambdas/costs/rollups/rollup.ts';
import { noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import type { CostQuery } from '#lambdas/reports/costs/query.ts';
import { summarizeCosts } from '#lambdas/reports/costs/summary.ts';

const at = (text: string) => Date.parse(text);
const window = { startMs: at('2026-01-31T22:30:00Z'), endMs: at('2026-02-01T00:30:00Z') };
const totals: Totals = { ...noTotals, requests: 2, cost_usd: '0.1', input_tokens: 10, output_tokens: 5 };

const query: CostQuery = {
  window,
  isOpen: { start: false, end: false },
  filters: [{}],
  serviceTier: null,
  groupBy: null,
  limit: 100,
  interval: null,
};

function cost(fields: Partial<CostRollup> = {}): CostRollup {
  return {
    ...{
      startMs: window.startMs,
      provider: 'openai',
      serviceTier: null,
      model: 'llama',
      value: null,
      totals,
    },
    ...fields,
  };
}

function costRows(rows: CostRollup[], groupRows = rows) {
  return { window, roundedTo: null, totalRows: rows, groupRows };
}

describe('summarizeCosts', () => {
  it('returns an empty summary without requests', () => {
    expect(summarizeCosts(query, costRows([]))).toEqual({
      totals: noTotals,
      byModel: {},
      window: { start: '2026-01-31T22:30:00.000Z', end: '2026-02-01T00:30:00.000Z', roundedTo: null },
      grouping: null,
      series: null,
    });
  });

  it('adds up the exact costs of a model from different providers and service tiers', () => {
    const summary = summarizeCosts(
      query,
      costRows([
        cost({ provider: 'groq', totals: { ...totals, cost_usd: '0.2' } }),
        cost({ model: 'a', totals: { ...totals, unpriced_requests: 2 } }),
        cost({
          serviceTier: 'flex',
          totals: { ...totals, assumed_requests: 1, assumed_cost_usd: '0.000000000001' },
        }),
      ]),
    );
    expect(summary.totals).toEqual({
      ...noTotals,
      requests: 6,
      cost_usd: '0.4',
      input_tokens: 30,
      output_tokens: 15,
      unpriced_requests: 2,
      assumed_requests: 1,
      assumed_cost_usd: '0.000000000001',
    });
    expect(summary.byModel).toEqual({
      a: { ...totals, unpriced_requests: 2 },
      llama: {
        ...noTotals,
        ...{ requests: 4, cost_usd: '0.3', input_tokens: 20, output_tokens: 10 },
        ...{ unpriced_requests: 0, assumed_requests: 1, assumed_cost_usd: '0.000000000001' },
      },
    });
    expect(Object.keys(summary.byModel)).toEqual(['a', 'llama']);
  });

  it('accepts a model named __proto__', () => {
    const { byModel } = summarizeCosts(query, costRows([cost({ model: '__proto__' })]));
    expect(Object.entries(byModel)).toEqual([['__proto__', totals]]);
  });

  it('returns null for omitted bounds, and the rounded window', () => {
    const costs = { ...costRows([]), roundedTo: 'minute' as const };
    expect(summarizeCosts({ ...query, isOpen: { start: true, end: false } }, costs).window).toEqual({
      start: null,
      end: '2026-02-01T00:30:00.000Z',
      roundedTo: 'minute',
    });
    expect(summarizeCosts({ ...query, isOpen: { start: false, end: true } }, costs).window).toEqual({
      start: '2026-01-31T22:30:00.000Z',
      end: null,
      roundedTo: 'minute',
    });
  });

  it.each([
    ['model', ['llama', 'qwen']],
    ['provider', ['groq', 'openai']],
    ['user_id', ['ada', null]],
    ['api_key', ['ada', null]],
  ] as const)('groups by %s', (groupBy, values) => {
    const rows = [cost({ provider: 'groq', totals: { ...totals, cost_usd: '7' } }), cost({ model: 'qwen' })];
    const groups = [cost({ ...rows[0], value: 'ada' }), cost({ ...rows[1] })];
    const { grouping } = summarizeCosts({ ...query, groupBy }, costRows(rows, groups));
    expect(grouping).toEqual({
      by: groupBy,
      groups: [
        { value: values[0], totals: { ...totals, cost_usd: '7' } },
        { value: values[1], totals },
      ],
      other: null,
    });
  });

  it('lists the top groups of the whole window in each element of a series', () => {
    const late = at('2026-01-31T23:00:00Z');
    const rows = [
      cost({ value: 'little', totals: { ...totals, cost_usd: '0.3' } }),
      cost({ value: 'much', startMs: late, totals: { ...totals, cost_usd: '5' } }),
      cost({ value: 'most', startMs: late, totals: { ...totals, cost_usd: '4' } }),
      cost({ value: 'most', totals: { ...totals, cost_usd: '4' } }),
      cost({ value: 'less', startMs: late, totals: { ...totals, cost_usd: '0.2' } }),
    ];
    const queryWithSeries = { ...query, groupBy: 'session_id', limit: 2, interval: 'hour' } as const;
    const { grouping, series } = summarizeCosts(queryWithSeries, costRows(rows));
    expect(grouping?.groups.map(({ value }) => value)).toEqual(['most', 'much']);
    expect(grouping?.other?.groups).toBe(2);
    const elements = series?.elements.map(({ start, end, totals: sums, groups: list }) => [
      start,
      end,
      sums.cost_usd,
      list?.groups.map(({ value, totals: group }) => [value, group.cost_usd]),
      list?.other === null ? null : [list?.other.groups, list?.other.totals.cost_usd],
    ]);
    expect(elements).toEqual([
      ['2026-01-31T22:30:00.000Z', '2026-01-31T23:00:00.000Z', '4.3', [['most', '4']], [1, '0.3']],
      [
        '2026-01-31T23:00:00.000Z',
        '2026-02-01T00:00:00.000Z',
        '9.2',
        [
          ['most', '4'],
          ['much', '5'],
        ],
        [1, '0.2'],
      ],
      ['2026-02-01T00:00:00.000Z', '2026-02-01T00:30:00.000Z', '0', [], null],
    ]);
  });

  it('returns a series without groups when the query does not group', () => {
    const { grouping, series } = summarizeCosts({ ...query, interval: 'day' }, costRows([cost()]));
    expect(grouping).toBeNull();
    expect(series).toEqual({
      interval: 'day',
      elements: [
        { start: '2026-01-31T22:30:00.000Z', end: '2026-02-01T00:00:00.000Z', totals, groups: null },
        {
          start: '2026-02-01T00:00:00.000Z',
          end: '2026-02-01T00:30:00.000Z',
          totals: noTotals,
          groups: null,
        },
      ],
    });
  });
});
