import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { shortWindowTitles } from '#dashboard/range/comparison.ts';
import { resolveRange } from '#dashboard/range/range.ts';
import { parseSearch, stringifySearch } from '#dashboard/shell/search.ts';
import { comparisonQuery, searchOfChoice, timeBefore } from '#dashboard/usage/comparison/choice.ts';
import { comparisonCsv } from '#dashboard/usage/comparison/comparison-csv.ts';
import { nextOrder } from '#dashboard/usage/comparison/order.ts';
import { changeText, comparedRows, differenceText, sortedRows } from '#dashboard/usage/comparison/rows.ts';
import { ComparisonTable } from '#dashboard/usage/comparison/table.tsx';
import { parseUsageSearch, type UsageSearch } from '#dashboard/usage/search.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '#test/dashboard/rendering/cost-totals.ts';
import { all, only, texts } from '#test/dashboard/rendering/markup.ts';
import { renderOnPage } from '#test/dashboard/rendering/page.ts';

const now = new Date('2026-11-26T06:37:00Z');
const berlin = { time_zone: 'Europe/Berlin' } as const;

describe('The link of a comparison', () => {
  it('has the choice, and the bounds of a custom range', () => {
    const custom = { compare: 'custom', compare_start: '2026-10-01', compare_end: '2026-10-08' };
    const sorted = { compare: 'day', compare_sort: 'change_asc' };
    for (const search of [{ compare: 'week' }, custom, sorted]) {
      expect(parseUsageSearch(parseSearch(stringifySearch(search)))).toMatchObject(search);
    }
  });

  it.each([
    { compare: 'decade' },
    { compare: 'none' },
    { compare_sort: 'change' },
    { compare: 'custom', compare_start: '2026-10-08', compare_end: '2026-10-01' },
    { compare: 'custom', compare_start: '2026-10-01' },
    { compare_start: '2026-10-01', compare_end: '2026-10-08' },
  ])('ignores %j', (search) => {
    expect(stringifySearch({ ...parseUsageSearch(search) })).toBe('');
  });

  it('begins a custom range as the time before, and forgets it with another choice', () => {
    const range = resolveRange({ start: '2026-11-23', end: '2026-11-25', ...berlin }, now);
    expect(timeBefore(range, now).bounds).toEqual({
      start: '2026-11-20T23:00:00.000Z',
      end: '2026-11-22T23:00:00.000Z',
      ...berlin,
    });
    const forgotten = { compare_start: undefined, compare_end: undefined };
    expect(searchOfChoice('week')).toEqual({ compare: 'week', ...forgotten });
    expect(searchOfChoice('none')).toEqual({ compare: undefined, ...forgotten });
  });
});

describe('The second range', () => {
  const range = resolveRange({ range: 'week', ...berlin }, now);
  const boundsOf = (search: Record<string, unknown>) =>
    comparisonQuery(parseUsageSearch(search), range)?.secondRange?.boundsAt(now);

  it('has the same days a week, a month or a year before', () => {
    expect(boundsOf({ compare: 'week' })).toEqual({
      start: '2026-11-15T23:00:00.000Z',
      end: '2026-11-19T06:37:00.000Z',
    });
    expect(boundsOf({ compare: 'month' })?.start).toBe('2026-10-22T22:00:00.000Z');
    expect(boundsOf({ compare: 'year' })?.start).toBe('2025-11-22T23:00:00.000Z');
  });

  it('has days of the zone of the range', () => {
    expect(boundsOf({ compare: 'custom', compare_start: '2026-10-01', compare_end: '2026-10-08' })).toEqual({
      start: '2026-09-30T22:00:00.000Z',
      end: '2026-10-07T22:00:00.000Z',
    });
  });

  it('is known to the API if it is as much time before', () => {
    expect(comparisonQuery({ compare: 'previous' }, range)).toEqual({
      compare: 'previous',
      secondRange: null,
    });
    expect(comparisonQuery({}, range)).toBeNull();
  });
});

const group = (value: string | null, cost_usd: string, requests = 1) => ({
  value,
  totals: costTotals({ cost_usd, requests }),
});

const previous: NonNullable<CostReport['previous']> = {
  window: { start: '2026-11-16T00:00:00.000Z', end: '2026-11-19T06:37:00.000Z', rounded_to: null },
  totals: costTotals({ cost_usd: '22.36', requests: 12 }),
  cost_change: 0.5273,
  days: null,
  groups: [group('sonnet', '10.000000000001', 8), group('haiku', '12', 4), group('nano', '0.36')],
  other: null,
};

const report: CostReport = {
  window: { start: '2026-11-23T00:00:00.000Z', end: '2026-11-26T06:37:00.000Z', rounded_to: null },
  time_zone: 'UTC',
  complete_until: '2026-11-26T06:37:00.000Z',
  max_percentile_error: 0.19,
  totals: costTotals({ cost_usd: '34.15', requests: 15 }),
  previous,
  group_by: 'model',
  groups: [group('opus', '24', 3), group('sonnet', '10.15', 8), group('nano', '0', 4)],
  other: null,
  interval: null,
  series: [],
};

const rows = comparedRows(report, previous);
const rowOf = (value: string) => rows.find((row) => row.value === value) ?? rows[0];

describe('The rows of a comparison', () => {
  it('are the groups of both ranges, which can be new or gone', () => {
    expect(rows.map(({ value, state }) => [value, state])).toEqual([
      ['opus', 'new'],
      ['sonnet', 'both'],
      ['nano', 'both'],
      ['haiku', 'gone'],
    ]);
  });

  it('do not call a group gone that may be among those that are not listed', () => {
    const cut = { ...report, other: { groups: 3, totals: costTotals() } };
    const haiku = comparedRows(cut, previous).find(({ value }) => value === 'haiku');

    expect(haiku?.state).toBe('unlisted');
    expect(haiku && differenceText('cost', haiku)).toBe('–');
  });

  it('have the difference to the last digit, and the change against the second range', () => {
    const described = rows.map((row) => [
      row.value,
      differenceText('cost', row, 'en'),
      changeText('cost', row, 'en'),
    ]);
    expect(described).toEqual([
      ['opus', '+$24.00', '–'],
      ['sonnet', '+$0.15', '+1.5%'],
      ['nano', '−$0.36', '−100%'],
      ['haiku', '−$12.00', '−100%'],
    ]);
    expect(differenceText('requests', rowOf('sonnet') as never, 'en')).toBe('0');
    expect(differenceText('mean_cost', rowOf('opus') as never, 'en')).toBe('–');
  });

  it('have durations in one unit', () => {
    const row = (first: number, second: number) => ({
      value: null,
      first: costTotals({ requests: 1, mean_latency_ms: first }),
      second: costTotals({ requests: 1, mean_latency_ms: second }),
      state: 'both' as const,
    });
    const column = [row(2_230, 2_653), row(45_300, 13_800)];
    const differences = column.map((each) => differenceText('mean_latency', each, 'en', column));
    expect(differences).toEqual(['−0.42 s', '+31.50 s']);
  });

  it.each([
    // By size.
    [undefined, ['opus', 'haiku', 'nano', 'sonnet']],
    ['difference', ['opus', 'sonnet', 'nano', 'haiku']],
    ['difference_asc', ['haiku', 'nano', 'sonnet', 'opus']],
    ['second', ['haiku', 'sonnet', 'nano', 'opus']],
    // A group without a former figure has no change.
    ['change_asc', ['nano', 'haiku', 'sonnet', 'opus']],
  ] as const)('are sorted by %s', (order, expected) => {
    expect(sortedRows(rows, 'cost', order).map(({ value }) => value)).toEqual(expected);
  });
});

describe('The table of a comparison', () => {
  // With the spaces of the browser's locale.
  const titles = (shortWindowTitles([report.window, previous.window], 'UTC') ?? []).map((title) =>
    title.replaceAll('\u202f', ' '),
  );

  const tableOf = (search: UsageSearch, compared = report) =>
    renderOnPage(
      createElement(ComparisonTable, {
        report: compared,
        previous,
        settings: { metric: 'cost', filters: {} },
        search,
        look: { name: (value: string | null) => value ?? 'No model' },
        onSort: () => {},
      }),
    );

  it('begins with the largest difference, be it more or less, and ends with all requests', async () => {
    const table = await tableOf({ compare: 'week' });
    expect(all(table, 'tr').map((row) => [...texts(row, 'th'), ...texts(row, 'td')])).toEqual([
      ['Model', ...titles, 'Difference', 'Change'],
      ['opusNew', '$24.00', '–', '+$24.00', '–'],
      ['haikuGone', '–', '$12.00', '−$12.00', '−100%'],
      ['nano', '$0.00', '$0.36', '−$0.36', '−100%'],
      ['sonnet', '$10.15', '$10.00', '+$0.15', '+1.5%'],
      ['All requests', '$34.15', '$22.36', '+$11.79', '+52.7%'],
    ]);
    expect(all(table, '[aria-sort=other]').map((title) => texts(title, 'button'))).toEqual([['Difference']]);
  });

  it('has the order of the link, and leads to single groups with the same comparison', async () => {
    const table = await tableOf({ compare: 'week', compare_sort: 'second' });
    expect(texts(only(table, '[aria-sort=descending]'), 'button')).toEqual([titles[1]]);
    expect(all(table, 'a')[0]?.attributes.href).toBe(
      '/organizations/org_1/usage?compare=week&compare_sort=second&model=haiku&group=api_key',
    );
  });

  it('has no colours, which are those of the groups in the chart, in another order', async () => {
    const names = all(await tableOf({ compare: 'week' }), '[scope=row]');
    expect(names.flatMap((name) => all(name, '[aria-hidden=true]'))).toEqual([]);
  });

  it('has eight groups until more are asked for', async () => {
    const groups = Array.from({ length: 12 }, (_, index) => group(`model-${index}`, '1'));
    const table = await tableOf({}, { ...report, groups });
    expect(all(table, 'tr')).toHaveLength(1 + 8 + 1);
    expect(texts(table, 'button').at(-1)).toBe('Show all 15');
  });

  it('is sorted by a title from the highest, from the lowest, then by size again', () => {
    const chosen = ['first', 'first_asc', undefined] as const;
    expect([undefined, ...chosen.slice(0, 2)].map((order) => nextOrder(order, 'first'))).toEqual(chosen);
    expect(nextOrder('first', 'change')).toBe('change');
  });
});

describe('The file of a comparison', () => {
  it('has exact amounts of both ranges', () => {
    const [header = '', ...lines] = comparisonCsv(report, previous).trimEnd().split('\r\n');
    const costs = ['model', 'state', 'first_cost_usd', 'second_cost_usd'].map((name) =>
      header.split(',').indexOf(name),
    );

    expect(lines.map((line) => costs.map((index) => line.split(',')[index]).join(' '))).toEqual([
      'opus new 24 ',
      'sonnet both 10.15 10.000000000001',
      'nano both 0 0.36',
      'haiku gone  12',
      ' both 34.15 22.36',
    ]);
  });
});
