import { createElement } from 'react';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { keyNameQuery } from '#dashboard/api/keys.ts';
import { DataTable } from '#dashboard/charts/frame/data-table.tsx';
import { useGroupLook } from '#dashboard/charts/group-look.ts';
import { colourOfHash } from '#dashboard/charts/model-colours.ts';
import { ReportChart } from '#dashboard/charts/report-chart.tsx';
import type { MetricName } from '#dashboard/metrics/metrics.ts';
import type { CostReport, GroupBy } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';
import { all, names, only, renderComponent, textOf, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';
import { periodsFrom, seriesOf } from './series.ts';

// Before the imports, because the colours of models are those of the month in which their module was loaded.
vi.hoisted(() => vi.useFakeTimers({ now: new Date('2026-11-23T12:00:00Z'), toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

const groups = ['ada', null].map((value) => ({ value, totals: costTotals({ requests: 1 }) }));

const report: CostReport = {
  window: { start: null, end: null, rounded_to: null },
  time_zone: 'Europe/Berlin',
  complete_until: '2026-11-23T00:00:00Z',
  max_percentile_error: 0.19,
  totals: costTotals({ requests: 2, cost_usd: '3' }),
  previous: null,
  group_by: 'user_id',
  groups,
  other: null,
  interval: 'hour',
  series: periodsFrom('2026-11-22T22:00:00Z', 2, 3_600_000).map((period) => ({
    ...period,
    totals: costTotals({ requests: 2 }),
    groups,
    other: null,
  })),
};

describe('The chart of a report', () => {
  const look = {
    name: (value: string | null) => value ?? 'No user',
    colour: (_: unknown, index: number) => index,
  };
  const chart = (metric: MetricName, shown = report) =>
    renderComponent(ReportChart, { label: 'Usage', report: shown, metric, look });

  it('has the interval and the zone of the report, and its groups', () => {
    const usage = chart('cost');
    expect(names(usage, 'figure')).toEqual(['Usage']);
    expect(texts(usage, 'p')).toEqual(['Hours in Europe/Berlin']);
    expect(texts(usage, 'li')).toEqual(['ada', 'No user']);
    expect(all(usage, '[style]').map(({ attributes }) => attributes.style)).toContain('height:280px');
  });

  it('is one by days without an interval, and has no legend without groups', () => {
    const usage = chart('requests', { ...report, interval: null, group_by: null, groups: [] });
    expect(texts(usage, 'p')).toEqual(['Days in Europe/Berlin']);
    expect(texts(usage, 'li')).toEqual([]);
  });

  it('waits for the code of lines, for figures that are not sums', async () => {
    expect(all(chart('mean_latency'), 'figure')).toEqual([]);
    await vi.waitFor(() => expect(names(chart('mean_latency'), 'figure')).toEqual(['Usage']));
  });
});

describe('The look of a group', () => {
  const Looks = ({ group, values }: { group: GroupBy | null; values: (string | null)[] }) => {
    const groups = values.map((value) => ({ value, totals: costTotals() }));
    const look = useGroupLook({ group_by: group, groups });
    return values.map((value, index) => `${look.name(value)}: ${look.colour(value, index)}`).join(', ');
  };
  // The same hash: in the report's order, the second gets the next colour.
  const [first, second] = ['openai/model-0', 'openai/model-20'];
  const byCost = costsQuery('org_1', { group_by: 'model', limit: 100, start: '2025-12-01' }).queryKey;
  const looksOf = async (group: GroupBy | null, values: (string | null)[], isLoaded = true) => {
    const models = { ...report, groups: [second, first].map((value) => ({ value, totals: costTotals() })) };
    const key = { id: 'key_1', name: 'production', last_four: '1111', state: 'active' };
    const loaded = isLoaded
      ? ([
          [byCost, models],
          [keyNameQuery('org_1', 'key_1').queryKey, key],
          [keyNameQuery('org_1', 'key_9').queryKey, null],
        ] as const)
      : [];
    return textOf(await renderOnPage(createElement(Looks, { group, values }), { loaded }));
  };
  const hash = colourOfHash(first);

  it('has the colour that a model has in all views, by its costs in twelve months', async () => {
    expect(await looksOf('model', [first, second, null])).toBe(
      `${first}: ${(hash + 1) % 10}, ${second}: ${hash}, No model: other`,
    );
  });

  it('has the colour of a model’s hash before its costs are known, and without any', async () => {
    expect(await looksOf('model', [first, second], false)).toBe(`${first}: ${hash}, ${second}: ${hash}`);
    expect(await looksOf('model', ['new/model'])).toBe(`new/model: ${colourOfHash('new/model')}`);
  });

  it('has the name of a key, and colours in order', async () => {
    expect(await looksOf('api_key', ['key_9', 'key_1'])).toBe('key_9: 0, production: 1');
    expect(await looksOf('api_key', ['key_1', null], false)).toBe('…: 0, No key: 1');
  });

  it('is called all requests without groups', async () => {
    expect(await looksOf(null, [null])).toBe('All requests: 0');
  });
});

describe('The hash of a name', () => {
  it.each([
    ['', 1],
    ['a', 0],
    ['openai/gpt-4o', 5],
  ])('of "%s" has the colour %i, in every browser', (name, colour) => {
    expect(colourOfHash(name)).toBe(colour);
  });
});

describe('The table of a chart', () => {
  const table = (total: { name: string; texts: string[] } | null) =>
    renderComponent(DataTable, {
      label: 'Spend by model',
      height: 260,
      titles: ['Fri 20', 'Sat 21', 'Sun 22'],
      series: seriesOf([1, 2, 3], [4, 5, 6]),
      total,
    });

  it('has a column for each series, after the total', () => {
    expect(texts(table(null), 'th')).toEqual(['Period', 'Series 0', 'Series 1']);
    expect(texts(table({ name: 'Total', texts: ['5', '7', '9'] }), 'th')).toEqual([
      'Period',
      'Total',
      'Series 0',
      'Series 1',
    ]);
  });

  it('has all rows for screen readers and the scroll bar, before any is visible', () => {
    const shown = table(null);
    expect(only(shown, 'table').attributes['aria-rowcount']).toBe('4');
    expect(only(shown, 'td').attributes.style).toBe('height:96px');
    expect(names(shown, 'section')).toEqual(['Table of Spend by model']);
    expect(only(shown, 'section').attributes).toMatchObject({ style: 'height:260px', tabindex: '0' });
  });
});
