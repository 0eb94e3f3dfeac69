import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChartProps } from '#dashboard/charts/chart.ts';
import { ChartFigure } from '#dashboard/charts/frame/figure.tsx';
import { columns, firstIncomplete, SizedPlot, titleOf } from '#dashboard/charts/frame/plot.tsx';
import { ChartTooltip } from '#dashboard/charts/frame/tooltip.tsx';
import { lines } from '#dashboard/charts/lines.tsx';
import { periodTitle, windowTitle } from '#dashboard/charts/period-title.ts';
import { bars } from '#dashboard/charts/stacked-bars.tsx';
import {
  all,
  names,
  only,
  type RenderedElement,
  renderComponent,
  textOf,
  texts,
} from '#test/dashboard/rendering/markup.ts';
import { geometryOf, periodsFrom, seriesOf } from '../series.ts';

const dayMs = 86_400_000;
const periods = periodsFrom('2026-11-20T00:00:00Z', 4, dayMs);
const now = new Date('2026-11-23T12:00:00Z');

beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const chart: ChartProps = {
  label: 'Spend by model',
  periods,
  interval: 'day',
  timeZone: 'America/New_York',
  series: seriesOf([1, 2, 3, 4], [0, 4, 0, 0]),
  formatAxis: (value) => `$${value}`,
};

describe('The first period that has not ended', () => {
  it.each([
    ['2026-11-23T12:00:00Z', 3],
    // It ended within the minute after which the report is read again.
    ['2026-11-23T00:00:30Z', 2],
    ['2026-11-23T00:01:00Z', 3],
    ['2026-11-24T00:00:59.999Z', 3],
    ['2026-11-24T00:01:00Z', 4],
    ['2026-11-19T00:00:00Z', 0],
  ])('at %s is %i', (time, index) => {
    vi.setSystemTime(time);
    expect(firstIncomplete(periods)).toBe(index);
  });
});

describe('The title of a plot', () => {
  const plot = { ...chart, timeZone: 'UTC', marks: bars, height: 100, emphasizedId: null };
  const [first = periods[0], second = periods[1], , last = periods[3]] = periods;

  it('is that of the current period, or of the selected ones in either order', () => {
    if (!(first && second && last)) throw new Error('There are no periods');
    expect(titleOf(plot, 1, null)).toBe(periodTitle(second, 'day', 'UTC'));
    const selected = windowTitle(second, last, 'day', 'UTC');
    expect(titleOf(plot, 0, { from: 1, to: 3 })).toBe(selected);
    expect(titleOf(plot, 0, { from: 3, to: 1 })).toBe(selected);
  });

  it('is empty without the period', () => {
    expect([titleOf(plot, 4, null), titleOf({ ...plot, periods: [] }, 0, null)]).toEqual(['', '']);
  });
});

describe('The place of periods', () => {
  it.each([
    [0, 0, 25, 34],
    [1, 3, 75, 59],
  ])('from %i to %i is %d pixels wide, from %d on', (first, last, width, x) => {
    expect(columns(geometryOf(4, 100), first, last)).toEqual({
      top: 8,
      height: 100,
      width,
      transform: `translateX(${x}px)`,
    });
  });

  it('is at least a pixel', () => {
    expect(columns(geometryOf(1000, 1), 3, 3).width).toBe(1);
  });
});

describe('The plot', () => {
  const plot = (props: Partial<ChartProps> & { marks?: typeof bars } = {}) =>
    renderComponent(SizedPlot, {
      ...{ ...chart, marks: bars, height: 260, width: 400, emphasizedId: null },
      ...props,
    });
  const valueLabels = (element: RenderedElement) =>
    all(element, 'text').flatMap((text) => (text.attributes['text-anchor'] === 'end' ? [textOf(text)] : []));

  it('is one stop of the Tab key, with a name and hints', () => {
    const hintsOf = (element: RenderedElement) => {
      const { 'aria-describedby': id } = only(element, '[role=application]').attributes;
      return textOf(only(element, `[id=${id}]`)).match(/[^.]+\./g);
    };

    expect(names(plot(), '[role=application]')).toEqual(['Spend by model']);
    expect(only(plot(), '[tabindex]').attributes.tabindex).toBe('0');
    expect(hintsOf(plot())).toEqual(['Left and right arrow keys move through time.']);
    expect(hintsOf(plot({ onSelect: () => {}, onBrush: () => {} }))?.map((hint) => hint.trim())).toEqual([
      'Left and right arrow keys move through time.',
      'Up and down arrow keys move through the series.',
      'Enter opens what is reached.',
      'With Shift, the arrow keys select a part of the time, which Enter applies.',
    ]);
  });

  it('has values up to the highest sum or the highest line', () => {
    const series = seriesOf([100, 2.5, 3, 4], [100, 4, 0, 0]);
    expect(valueLabels(plot({ series }))).toEqual(['$0', '$50', '$100', '$150', '$200']);
    expect(valueLabels(plot({ series, marks: lines }))).toEqual(['$0', '$50', '$100']);
  });

  it('has whole values for counts, and round times for durations', () => {
    expect(valueLabels(plot({ series: seriesOf([1, 2, null]) }))).toEqual(['$0', '$1', '$2']);
    expect(valueLabels(plot({ series: seriesOf([1.5, 2]) }))).toEqual(['$0', '$0.5', '$1', '$1.5', '$2']);
    expect(valueLabels(plot({ series: seriesOf([100_000]), areDurations: true }))).toEqual([
      '0 s',
      '30 s',
      '60 s',
      '90 s',
      '120 s',
    ]);
  });

  it('has more values the higher it is, but at least two', () => {
    const series = seriesOf([100]);
    expect(valueLabels(plot({ series, height: 580 }))).toHaveLength(11);
    expect(valueLabels(plot({ series, height: 80 }))).toHaveLength(3);
  });

  it('hatches what has not ended, and shows nothing before it is pointed at', () => {
    expect(all(plot(), 'rect[fill]')).toHaveLength(1);
    expect(textOf(plot())).not.toContain('so far');
    expect(all(plot(), '[aria-live]').map(textOf)).toEqual(['']);
  });
});

describe('The line above a chart', () => {
  const line = (marks: typeof bars, shown: ChartProps = chart) =>
    texts(renderComponent(ChartFigure, { ...shown, marks }), 'p')[0];

  it('explains hatched bars where there are any', () => {
    expect(line(bars)).toBe('Days in America/New YorkHatched: so far');
    expect(line(lines)).toBe('Days in America/New York');
    expect(line(bars, { ...chart, series: seriesOf([1, 2, 3, 0]) })).toBe('Days in America/New York');
    expect(line(bars, { ...chart, series: [] })).toBe('Days in America/New York');
  });
});

describe('The tooltip', () => {
  const geometry = geometryOf(4, 100);
  const tooltip = (index: number, fields: object = {}) =>
    renderComponent(ChartTooltip, {
      geometry,
      index,
      title: 'Fri 20',
      series: seriesOf([1, 2], [3, 4]),
      total: { name: 'Total', text: '6' },
      seriesId: '1',
      ...fields,
    });

  it('has the figures of the period, with their names and colours', () => {
    const shown = only(tooltip(1), 'div');
    const items = all(shown, 'li').map((item) => all(item, 'span').map(({ children }) => children.join('')));

    expect(items).toEqual([
      ['', 'Series 0', '2'],
      ['', 'Series 1', '4'],
    ]);
    expect(
      all(shown, 'p').map(({ children }) =>
        children.flatMap((each) => (typeof each === 'string' ? each : textOf(each))),
      ),
    ).toEqual([['Fri 20'], ['Total', '6']]);
    expect(all(shown, '[style]').map(({ attributes }) => attributes.style)).toEqual([
      'background-color:var(--color-chart-1)',
      'background-color:var(--color-chart-2)',
    ]);
  });

  it('emphasizes the series that would be chosen', () => {
    const bold = all(tooltip(0), 'span').filter(({ attributes }) =>
      attributes.class?.includes('font-medium'),
    );
    expect(bold.map(({ children }) => children[0])).toEqual(['Series 1', '3']);
  });

  it('ends with where a choice leads, if anywhere', () => {
    const hint = 'Click for the requests of this hour';
    expect(texts(tooltip(0, { hint }), 'p').at(-1)).toBe(hint);
    expect(texts(tooltip(0), 'p').at(-1)).toBe('Total6');
  });

  it('is only a title while time is selected', () => {
    const shown = tooltip(0, { series: [], total: null });
    expect([all(shown, 'li').length, all(shown, 'p').length, all(shown, 'ul').length]).toEqual([0, 1, 0]);
  });

  it.each([
    // The chart is 138 pixels wide, so the tooltip has 110.
    [138, 0, 'width:110px;transform:translateX(28px)'],
    [138, 3, 'width:110px;transform:translateX(0px)'],
  ])('on a chart of %i pixels, at %i, stays inside', (_width, index, style) => {
    expect(only(tooltip(index), 'div').attributes.style).toBe(style);
  });

  it.each([
    // Beside the bar, at most 28 pixels from its centre, and ten more.
    [0, 100, 'width:280px;transform:translateX(138px)'],
    [1, 499, 'width:280px;transform:translateX(537px)'],
    [2, 500, 'width:280px;transform:translateX(182px)'],
    [3, 900, 'width:280px;transform:translateX(582px)'],
  ])('on a wide chart, at %i around %d, is on the side with more space', (index, centre, style) => {
    const wide = { ...geometry, width: 1000, step: 200, centreOf: () => centre };
    expect(only(tooltip(index, { geometry: wide }), 'div').attributes.style).toBe(style);
  });

  it('is nearer to narrow bars', () => {
    const narrow = { ...geometry, width: 1000, step: 4, centreOf: () => 100 };
    expect(only(tooltip(0, { geometry: narrow }), 'div').attributes.style).toBe(
      'width:280px;transform:translateX(112px)',
    );
  });
});

describe('A chart', () => {
  const figure = (props: Partial<ChartProps>) =>
    renderComponent(ChartFigure, { ...chart, marks: bars, ...props });

  it('names its time zone, its table and its series', () => {
    const shown = figure({});
    expect(names(shown, 'figure')).toEqual(['Spend by model']);
    expect(texts(shown, 'p')).toEqual(['Days in America/New YorkHatched: so far']);
    expect(texts(shown, 'button')).toEqual(['Show table of Spend by model']);
    expect(texts(shown, 'li')).toEqual(['Series 0', 'Series 1']);
  });

  it('has no legend for all requests together', () => {
    const [all] = seriesOf([1, 2]);
    expect(texts(figure({ series: all ? [{ ...all, id: 'all' }] : [] }), 'li')).toEqual([]);
  });

  it.each([
    ['without series', []],
    ['without any value', seriesOf([null, null], [null])],
  ])('%s says that there are no requests, and has no table', (_case, series) => {
    const shown = figure({ series });
    expect(texts(shown, 'p')).toEqual(['Days in America/New York', 'No requests in this range']);
    expect([texts(shown, 'button'), texts(shown, 'li')]).toEqual([[], []]);
  });

  it('is drawn for values that are zero', () => {
    expect(texts(figure({ series: seriesOf([0, null]) }), 'p')).toEqual(['Days in America/New York']);
  });

  it.each([
    [undefined, 'height:260px'],
    [120, 'height:120px'],
  ])('of the height %s has its place before its width is known', (height, style) => {
    expect(all(figure({ height }), '[style]')[0]?.attributes.style).toBe(style);
  });
});
