import { describe, expect, it } from 'vitest';
import { ApproximationNote } from '#dashboard/metrics/approximation-note.tsx';
import {
  type FigureColumn,
  type FigureRow,
  FigureTable,
  FigureTableSkeleton,
  GroupLabel,
  meanCostColumn,
  metricColumn,
  otherRow,
  rejectedColumn,
  spendColumn,
} from '#dashboard/metrics/figure-table.tsx';
import { UncertaintyMark } from '#dashboard/metrics/uncertainty-mark.tsx';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';
import { all, only, render, renderComponent, textOf, texts } from '../rendering/markup.ts';

const cell = (column: FigureColumn, fields: Partial<CostTotals>) =>
  textOf(render(column.cell(costTotals(fields))));

describe('A column', () => {
  it('of a metric has its title, unless another is given', () => {
    expect(metricColumn('error_rate').title).toBe('Error rate');
    expect(metricColumn('error_rate', 'Errors').title).toBe('Errors');
    expect(cell(metricColumn('error_rate'), { requests: 8, error_requests: 2 })).toBe('25.0%');
  });

  it('of the spend has a mark where it is not certain', () => {
    expect(spendColumn.title).toBe('Spend');
    expect(cell(spendColumn, { cost_usd: '12.5' })).toBe('$12.50');
    expect(cell(spendColumn, { cost_usd: '12.5', unpriced_requests: 2 })).toBe(
      '2 requests have no known price, and count as $0$12.50',
    );
  });

  it('of costs per request and of rejected requests has a dash where there is no figure', () => {
    expect([meanCostColumn.title, rejectedColumn.title]).toEqual(['Per request', 'Rejected']);
    expect([cell(meanCostColumn, {}), cell(meanCostColumn, { requests: 2, cost_usd: '0.00084' })]).toEqual([
      '–',
      '$0.00042',
    ]);
    const unpriced = { requests: 3, unpriced_requests: 3 };
    expect(cell(meanCostColumn, unpriced)).toBe('–');
    expect(cell(spendColumn, unpriced)).toBe('3 requests have no known price, and count as $0–');
    expect([cell(rejectedColumn, {}), cell(rejectedColumn, { rejected_requests: 0 })]).toEqual(['–', '0']);
    expect(cell(rejectedColumn, { rejected_requests: 1200 })).toBe('1,200');
  });
});

describe('The note below a table', () => {
  const note = (fields: Partial<CostTotals>, hasPercentiles = true, totals = costTotals(fields)) => {
    const report = { totals, groups: [{ value: 'ada', totals: costTotals(fields) }], other: null };
    return texts(
      renderComponent(ApproximationNote, {
        report: { ...report, max_percentile_error: 0.19 } as unknown as CostReport,
        hasPercentiles,
      }),
      'p',
    );
  };
  const latency = (exact: boolean) => ({ latency_ms: { p50: 1, p95: 2, p99: 3, exact } });
  const ofLatency = '≈ before a latency: a percentile of many requests, which is at most 19% off.';
  const assumed = { assumed_requests: 2, assumed_cost_usd: '1.25', uncertain_cost_share: 0.0513 };
  const ofSpend =
    '≈ before spend: 5.1% of the cost is not certain. $1.25 is assumed (2 requests): the price or a part of the usage is not certain.';

  it('says how far percentiles may be off, unless all are exact', () => {
    expect(note(latency(false))).toEqual([ofLatency]);
    expect([note(latency(true)), note({}), note(latency(false), false)]).toEqual([[], [], []]);
  });

  it('says of which figure each sentence is', () => {
    expect(note(assumed)).toEqual([ofSpend]);
    expect(note({ ...assumed, ...latency(false) })).toEqual([ofSpend, ofLatency]);
  });

  it('is not about spend that has the mark of unpriced requests instead', () => {
    const unpriced = costTotals({ ...assumed, unpriced_requests: 1 });
    expect(note({ ...assumed, unpriced_requests: 1 })).toEqual([]);
    expect(note(assumed, true, unpriced)).toEqual([ofSpend]);
  });
});

describe('A table of figures', () => {
  const columns = [metricColumn('requests'), metricColumn('errors')];
  const row = (key: string, fields: Partial<FigureRow> = {}): FigureRow => ({
    key,
    name: key,
    totals: costTotals({ requests: key.length, error_requests: 1 }),
    ...fields,
  });
  const table = (rows: FigureRow[], shown: readonly FigureColumn[] = columns) =>
    renderComponent(FigureTable, { label: 'Figures by user', nameTitle: 'User', columns: shown, rows });
  const cells = (rows: FigureRow[]) =>
    all(table(rows), 'tr').map((each) => [...texts(each, 'th'), ...texts(each, 'td')]);

  it('has a row for each group, with the figures of its totals', () => {
    expect(cells([row('ada'), row('grace')])).toEqual([
      ['User', 'Requests', 'Errors'],
      ['ada', '3', '1'],
      ['grace', '5', '1'],
    ]);
    expect(only(table([]), 'table').attributes['aria-label']).toBe('Figures by user');
  });

  it('has a column of actions if a row has one', () => {
    expect(cells([row('ada', { action: 'More' }), row('grace')])).toEqual([
      ['User', 'Requests', 'Errors', 'Actions'],
      ['ada', '3', '1', 'More'],
      ['grace', '5', '1', ''],
    ]);
  });

  it('labels each figure for narrow screens', () => {
    const labels = all(table([row('ada')]), 'td').map(({ attributes }) => attributes['data-title']);
    expect(labels).toEqual(['Requests', 'Errors']);
  });

  it('has all durations of a column in one unit', () => {
    const durations = (...means: (number | null)[]) => {
      const rows = means.map((mean_latency_ms, index) =>
        row(String(index), { totals: costTotals({ mean_latency_ms }) }),
      );
      return texts(table(rows, [metricColumn('mean_latency')]), 'td');
    };
    expect(durations(888, 1320, 16_930, null)).toEqual(['0.89 s', '1.32 s', '16.93 s', '–']);
    expect(durations(888, 245_000)).toEqual(['0.9 s', '245.0 s']);
    expect(durations(8.6, 845)).toEqual(['8.6 ms', '845 ms']);
  });

  it('emphasizes the sum of the others', () => {
    const [, first, sum] = all(table([row('ada'), row('sum', { isTotal: true })]), 'tr');
    expect([first, sum].map((each) => each?.attributes.class?.includes(' font-medium'))).toEqual([
      false,
      true,
    ]);
  });

  it('puts more than seven columns closer together', () => {
    const names = [
      'requests',
      'errors',
      'cost',
      'tokens',
      'error_rate',
      'cached_share',
      'mean_latency',
    ] as const;
    const padding = (shown: readonly FigureColumn[]) => {
      const [first] = all(table([row('ada')], shown), 'td');
      return first?.attributes.class?.split(' ').slice(-2);
    };
    const seven = names.map((name) => metricColumn(name));
    expect(padding(seven)).toEqual(['@[42rem]:px-2.5', '@[54rem]:px-5']);
    expect(padding([...seven, metricColumn('mean_overhead')])).toEqual(['@[42rem]:px-2', '@[54rem]:px-3']);
  });

  it('leaves out the cells of a column where it leaves out their title', () => {
    const secondary = { ...metricColumn('errors'), isSecondary: true };
    const shown = table([row('ada')], [metricColumn('requests'), secondary]);
    const displays = (selector: string) =>
      all(shown, selector).map(({ attributes }) =>
        attributes.class?.split(' ').filter((each) => /^@\[\d+rem\]:(hidden|table-cell)$/.test(each)),
      );
    const inWideTables = ['@[42rem]:hidden', '@[70rem]:table-cell'];
    expect(displays('td')).toEqual([['@[42rem]:table-cell'], inWideTables]);
    expect(displays('th[scope=col]').at(-1)).toEqual(inWideTables);
  });

  it('has as many rows while it loads', () => {
    const loading = renderComponent(FigureTableSkeleton, { rows: 5 });
    expect(all(loading, 'span')).toHaveLength(5);
    expect(textOf(loading)).toBe('');
  });
});

describe('The groups that are not listed', () => {
  it('are a row with their number, if there are any', () => {
    const totals = costTotals({ requests: 3 });
    const [other, ...rest] = otherRow({ groups: 1200, totals }, 'mark ');
    expect(rest).toEqual([]);
    expect(other).toMatchObject({ key: 'other', totals });
    expect(textOf(render(other?.name))).toBe('mark Other (1,200)');
    expect(otherRow(null)).toEqual([]);
  });
});

describe('The label of a group', () => {
  it('is muted for the requests without a value', () => {
    const label = (value: string | null) =>
      only(renderComponent(GroupLabel, { value, name: 'No user' }), 'span');
    expect(label(null).attributes).toMatchObject({
      title: 'No user',
      class: 'block truncate font-normal text-muted',
    });
    expect(label('').attributes.class).toBe('block truncate');
  });
});

describe('The mark of a sum', () => {
  const sum = { unpriced_requests: 0, uncertain_cost_share: 0.25 };
  const mark = (fields: object, isPassive = false) =>
    renderComponent(UncertaintyMark, { sum: { ...sum, ...fields }, isPassive });

  it('is missing if the sum is certain', () => {
    expect(mark({ uncertain_cost_share: 0 }).children).toEqual([]);
  });

  it('says what is not certain, and warns if a part has no price', () => {
    const uncertain = mark({});
    expect(textOf(only(uncertain, 'button'))).toBe('25.0% of this is assumed or estimated');
    expect(all(uncertain, 'svg')).toHaveLength(0);
    expect(all(uncertain, '[aria-hidden=true]').flatMap(({ children }) => children)).toEqual(['≈']);
    expect(all(mark({ unpriced_requests: 1 }), 'svg')).toHaveLength(1);
    expect(only(mark({ unpriced_requests: 1 }), 'button').attributes.class).toContain('text-warning');
    expect(only(uncertain, 'button').attributes.class).toContain('text-muted');
  });

  it('takes no focus inside a link', () => {
    const passive = mark({}, true);
    expect(all(passive, 'button')).toEqual([]);
    expect(textOf(passive)).toBe('25.0% of this is assumed or estimated');
  });
});

describe('A table of figures that can be sorted', () => {
  const table = (isAscending: boolean) =>
    renderComponent(FigureTable, {
      label: 'Prompts',
      nameTitle: 'Prompt',
      columns: [spendColumn, metricColumn('error_rate'), { title: 'Note', cell: () => null }],
      rows: [],
      sorting: { metric: 'error_rate', isAscending, onSort: () => {} },
    });

  it.each([
    [false, 'descending'],
    [true, 'ascending'],
  ])('says by which column, ascending: %s', (isAscending, direction) => {
    const headings = all(table(isAscending), 'th');
    expect(headings.map((heading) => [textOf(heading), heading.attributes['aria-sort']])).toEqual([
      ['Prompt', undefined],
      ['Spend', undefined],
      ['Error rate', direction],
      ['Note', undefined],
    ]);
  });

  it('has a button in the heading of each figure', () => {
    expect(texts(table(false), 'button')).toEqual(['Spend', 'Error rate']);
  });
});
