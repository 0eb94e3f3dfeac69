import { describe, expect, it } from 'vitest';
import { noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { createCalendar } from '#lambdas/reports/costs/calendar.ts';
import { type CostQuery, type GroupBy, parseCostQuery } from '#lambdas/reports/costs/query.ts';
import type { Costs } from '#lambdas/reports/costs/read.ts';
import type { ElementRow } from '#lambdas/reports/costs/read-rows.ts';
import { summarizeCosts } from '#lambdas/reports/costs/summary.ts';
import type { Interval } from '#lambdas/reports/costs/window.ts';

const at = (text: string) => Date.parse(text);
const window = { startMs: at('2026-01-31T22:30:00Z'), endMs: at('2026-02-01T00:30:00Z') };
const totals: Totals = { ...noTotals, requests: 2, cost_usd: '0.1', input_tokens: 10, output_tokens: 5 };

const windowInResponse = { isOpen: { start: false, end: false }, presentMs: null, roundedTo: null };
const query: CostQuery = { ...parseCostQuery({}, new Date(0)), window, windowInResponse };

function withGroups(groupBy: GroupBy): CostQuery {
  return { ...parseCostQuery({ group_by: [groupBy] }, new Date(0)), window, windowInResponse };
}

const series = (interval: Interval) => ({ interval, calendar: createCalendar('UTC') });

function cost(fields: Partial<ElementRow> = {}): ElementRow {
  return {
    startMs: window.startMs,
    element: 0,
    provider: 'openai',
    operation: 'chat.completions',
    serviceTier: null,
    model: 'llama',
    value: null,
    totals,
    ...fields,
  };
}

function costs(totalRows: ElementRow[], groupRows = totalRows, elements = [window]): Costs {
  const completeUntilMs = at('2026-02-01T00:00:07Z');
  return { window, roundedTo: null, elements, totalRows, groupRows, previous: null, completeUntilMs };
}

describe('summarizeCosts', () => {
  it('returns an empty summary without requests', () => {
    expect(summarizeCosts(query, costs([]))).toEqual({
      totals: noTotals,
      byModel: {},
      window: { start: '2026-01-31T22:30:00.000Z', end: '2026-02-01T00:30:00.000Z', roundedTo: null },
      completeUntil: '2026-02-01T00:00:07.000Z',
      timeZone: 'UTC',
      countsRejected: { totals: true, groups: false, byModel: false },
      grouping: null,
      series: null,
      previous: null,
    });
  });

  it('lists models and groups that have attempts alone', () => {
    const attempts: Totals = { ...noTotals, fallback_attempts: 2, cost_usd: '0.1' };
    const failed = cost({ provider: 'openai', model: 'a', totals: attempts });
    const summary = summarizeCosts(
      withGroups('provider'),
      costs([failed, cost({ provider: 'groq', model: 'b' })]),
    );

    expect(summary.totals).toEqual({ ...totals, cost_usd: '0.2', fallback_attempts: 2 });
    expect(summary.byModel).toEqual({ a: attempts, b: totals });
    expect(summary.grouping?.groups).toEqual([
      { value: 'groq', totals },
      { value: 'openai', totals: attempts },
    ]);
  });

  it('adds up the exact costs of a model from different providers and service tiers', () => {
    const summary = summarizeCosts(
      query,
      costs([
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
        requests: 4,
        cost_usd: '0.3',
        input_tokens: 20,
        output_tokens: 10,
        unpriced_requests: 0,
        assumed_requests: 1,
        assumed_cost_usd: '0.000000000001',
      },
    });
    expect(Object.keys(summary.byModel)).toEqual(['a', 'llama']);
  });

  it('groups rows of several models, providers and service tiers by operation', () => {
    const embeddings = { operation: 'embeddings', totals: { ...totals, cost_usd: '0.3' } } as const;
    const { grouping } = summarizeCosts(
      withGroups('operation'),
      costs([
        cost(),
        cost({ model: 'a', serviceTier: 'flex' }),
        cost({ provider: 'groq', ...embeddings }),
        cost({ model: 'b', operation: 'messages', totals: { ...totals, cost_usd: '0.05' } }),
      ]),
    );
    expect(grouping).toEqual({
      by: 'operation',
      groups: [
        { value: 'embeddings', totals: { ...totals, cost_usd: '0.3' } },
        {
          value: 'chat.completions',
          totals: { ...totals, requests: 4, cost_usd: '0.2', input_tokens: 20, output_tokens: 10 },
        },
        { value: 'messages', totals: { ...totals, cost_usd: '0.05' } },
      ],
      other: null,
    });
  });

  it('accepts a model named __proto__', () => {
    const { byModel } = summarizeCosts(query, costs([cost({ model: '__proto__' })]));
    expect(Object.entries(byModel)).toEqual([['__proto__', totals]]);
  });

  it('returns null for omitted bounds, and the rounded window', () => {
    const rounded = { ...costs([]), roundedTo: 'minute' as const };
    expect(
      summarizeCosts(
        { ...query, windowInResponse: { ...windowInResponse, isOpen: { start: true, end: false } } },
        rounded,
      ).window,
    ).toEqual({
      start: null,
      end: '2026-02-01T00:30:00.000Z',
      roundedTo: 'minute',
    });
    expect(
      summarizeCosts(
        { ...query, windowInResponse: { ...windowInResponse, isOpen: { start: false, end: true } } },
        rounded,
      ).window,
    ).toEqual({
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
    const { grouping } = summarizeCosts(withGroups(groupBy), costs(rows, groups));
    expect(grouping).toEqual({
      by: groupBy,
      groups: [
        { value: values[0], totals: { ...totals, cost_usd: '7' } },
        { value: values[1], totals },
      ],
      other: null,
    });
  });

  it('has no percentiles in groups of a dimension without histograms', () => {
    const measured = { ...totals, histograms: { l41: 2 } };
    const rows = [cost({ totals: measured })];
    const named = [cost({ value: 'ada', totals: { ...totals, requests: 1 } })];
    const histogramsOf = (groupBy: GroupBy) =>
      summarizeCosts(withGroups(groupBy), costs(rows, named)).grouping?.groups.map(
        (group) => group.totals.histograms,
      );
    expect(histogramsOf('user_id')).toEqual([{}, {}]);
    expect(histogramsOf('prompt_id')).toEqual([{}, { l41: 2 }]);
  });

  it('lists errors by code without the other requests, and counts rejected requests separately', () => {
    const failed = { ...totals, provider_error_requests: 2 };
    const rejected = { ...noTotals, rejected_requests: 3 };
    const groupRows = [
      cost({ value: 'rate_limit_exceeded', totals: failed }),
      cost({ value: 'model_not_found', totals: rejected, provider: '', model: '' }),
    ];
    const rows = [cost({ totals: failed }), cost()];
    const summary = summarizeCosts(withGroups('error_code'), costs(rows, groupRows));
    expect([summary.totals.requests, summary.totals.rejected_requests]).toEqual([4, 3]);
    expect(Object.keys(summary.byModel)).toEqual(['llama']);
    expect(summary.grouping?.groups).toEqual([
      { value: 'model_not_found', totals: rejected },
      { value: 'rate_limit_exceeded', totals: failed },
    ]);
  });

  it('lists the top groups of the whole window in each element of a series', () => {
    const bounds = [
      '2026-01-31T22:30:00Z',
      '2026-01-31T23:00:00Z',
      '2026-02-01T00:00:00Z',
      '2026-02-01T00:30:00Z',
    ];
    const elements = bounds
      .slice(1)
      .map((end, index) => ({ startMs: at(bounds[index] ?? ''), endMs: at(end) }));
    const rows = [
      cost({ value: 'little', totals: { ...totals, cost_usd: '0.3' } }),
      cost({ value: 'much', element: 1, totals: { ...totals, cost_usd: '5' } }),
      cost({ value: 'most', element: 1, totals: { ...totals, cost_usd: '4' } }),
      cost({ value: 'most', totals: { ...totals, cost_usd: '4' } }),
      cost({ value: 'less', element: 1, totals: { ...totals, cost_usd: '0.2' } }),
    ];
    const grouped = withGroups('session_id');
    const selection = { ...grouped.selection, limit: 2 };
    const queryWithSeries = { ...grouped, selection, series: series('hour') };
    const { grouping, series: summarized } = summarizeCosts(queryWithSeries, costs(rows, rows, elements));
    expect(grouping?.groups.map(({ value }) => value)).toEqual(['most', 'much']);
    expect(grouping?.other?.groups).toBe(2);
    const listed = summarized?.elements.map(({ start, end, totals: sums, groups: list }) => [
      start,
      end,
      sums.cost_usd,
      list?.groups.map(({ value, totals: group }) => [value, group.cost_usd]),
      list?.other === null ? null : [list?.other.groups, list?.other.totals.cost_usd],
    ]);
    expect(listed).toEqual([
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

  it('returns a series without groups when the query does not group, and ends it at the present', () => {
    const elements = [window, { startMs: window.endMs, endMs: at('2026-02-01T01:00:00Z') }];
    const { grouping, series: summarized } = summarizeCosts(
      {
        ...query,
        series: series('hour'),
        windowInResponse: { ...windowInResponse, presentMs: at('2026-02-01T00:40:00Z') },
      },
      costs([cost()], [cost()], elements),
    );
    expect(grouping).toBeNull();
    expect(summarized).toEqual({
      interval: 'hour',
      elements: [
        { start: '2026-01-31T22:30:00.000Z', end: '2026-02-01T00:30:00.000Z', totals, groups: null },
        {
          start: '2026-02-01T00:30:00.000Z',
          end: '2026-02-01T00:40:00.000Z',
          totals: noTotals,
          groups: null,
        },
      ],
    });
  });

  it('adds the totals of the previous range', () => {
    const previous = { ...costs([cost(), cost()]), roundedTo: 'hour' as const };
    expect(summarizeCosts(query, { ...costs([]), previous }).previous).toEqual({
      totals: { ...totals, requests: 4, cost_usd: '0.2', input_tokens: 20, output_tokens: 10 },
      window: { start: '2026-01-31T22:30:00.000Z', end: '2026-02-01T00:30:00.000Z', roundedTo: 'hour' },
      days: null,
      groups: null,
    });
  });
});
