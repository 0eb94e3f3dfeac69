import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import type { Colour } from '#dashboard/charts/chart.ts';
import { cssColour } from '#dashboard/charts/chart.ts';
import { lines } from '#dashboard/charts/lines.tsx';
import { Sparkline } from '#dashboard/charts/sparkline.tsx';
import { fc } from '#test/support/fast-check.ts';
import { all, render, renderComponent } from '../rendering/markup.ts';
import { geometryOf, seriesOf } from './series.ts';

/** Four periods, whose centres are at 46.5, 71.5, 96.5 and 121.5. */
const geometry = geometryOf(4, 100);

function drawn(series: ReturnType<typeof seriesOf>, emphasizedId: string | null = null) {
  const props = { series, periodCount: 4, geometry, incompleteFrom: 4, emphasizedId };
  return {
    lines: renderComponent(lines.Draw, props),
    pointsAt: (index: number) =>
      render(lines.DrawActive && createElement(lines.DrawActive, { ...props, index })),
  };
}

describe('A line', () => {
  const pathsOf = (...values: (number | null)[]) =>
    all(drawn(seriesOf(values)).lines, 'path').map(({ attributes }) => attributes.d);

  it('connects values at the centres of their periods', () => {
    expect(pathsOf(0, 100, 50, 25)).toEqual(['M46.5,108L71.5,8L96.5,58L121.5,83', '']);
  });

  it('has a gap where there is no data, and a point where a value has no neighbour', () => {
    expect(pathsOf(0, 50, null, 100)).toEqual(['M46.5,108L71.5,58M121.5,8Z', 'M121.5,8h0']);
    expect(pathsOf(null, 50, null, null)).toEqual(['M71.5,58Z', 'M71.5,58h0']);
    expect(pathsOf(null, null, null, null)).toEqual(['', '']);
  });

  it('is wider than the others, which are dimmed, while it is emphasized', () => {
    const looks = (emphasizedId: string | null) =>
      all(drawn(seriesOf([1], [2]), emphasizedId).lines, '[opacity]').map(({ attributes, children }) => [
        attributes.opacity,
        typeof children[0] === 'object' ? children[0].attributes['stroke-width'] : undefined,
      ]);

    expect(looks('1')).toEqual([
      ['0.2', '1.75'],
      ['1', '2.5'],
    ]);
    expect(looks(null)).toEqual([
      ['1', '1.75'],
      ['1', '1.75'],
    ]);
  });

  it('has a point at the current period, unless there is no data', () => {
    const points = all(drawn(seriesOf([0, 50], [null, null], [0, 100]), '2').pointsAt(1), 'circle');
    expect(points.map(({ attributes: { cx, cy, r, fill } }) => [cx, cy, r, fill])).toEqual([
      ['71.5', '58', '4', 'var(--color-chart-1)'],
      ['71.5', '8', '5', 'var(--color-chart-3)'],
    ]);
  });
});

describe('The lines of a chart', () => {
  it('reach up to their highest value', () => {
    expect(lines.maxOf(seriesOf([1, null, 7], [3, 2, null]), 3)).toBe(7);
    expect(lines.maxOf(seriesOf([null]), 1)).toBe(0);
  });

  it('are called by what is the nearest, within ten pixels', () => {
    const series = seriesOf([50, null], [60, null], [null, null]);
    const at = (y: number, index = 0) => lines.seriesAt(series, index, y, geometry);

    // At 58 and 48.
    expect([58, 54, 52, 48, 68, 38].map((y) => at(y))).toEqual(['0', '0', '1', '1', '0', '1']);
    expect([68.1, 37.9, 108].map((y) => at(y))).toEqual([null, null, null]);
    expect(at(58, 1)).toBeNull();
    expect(lines.seriesAt([], 0, 58, geometry)).toBeNull();
  });
});

describe('A sparkline', () => {
  const pathsOf = (...values: (number | null)[]) =>
    all(renderComponent(Sparkline, { values }), 'path').map(({ attributes }) => attributes.d);

  it.each([
    ['rises to its maximum', [0, 1, 2], 'M0,26.5L50,14L100,1.5h0', 'M0,28L0,26.5L50,14L100,1.5L100,28Z'],
    ['lies at the bottom without requests', [0, 0], 'M0,26.5L100,26.5h0', 'M0,28L0,26.5L100,26.5L100,28Z'],
    ['is a point for one value', [5], 'M0,1.5h0', 'M0,28L0,1.5L0,28Z'],
    ['rounds to hundredths', [1, 2, 3, 3], 'M0,18.17L33.33,9.83L66.67,1.5L100,1.5h0', null],
  ])('%s', (_case, values, line, area) => {
    const [areas, drawnLine] = pathsOf(...values);
    expect(drawnLine).toBe(line);
    if (area !== null) expect(areas).toBe(area);
  });

  it('has a gap where there is no data, with an area on each side', () => {
    expect(pathsOf(2, 2, null, 1, null)).toEqual([
      'M0,28L0,1.5L25,1.5L25,28ZM75,28L75,14L75,28Z',
      'M0,1.5L25,1.5h0M75,14h0',
    ]);
    expect(pathsOf(null, null)).toEqual(['', '']);
  });

  it('stays inside its box', () => {
    const value = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: null });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), (values) => {
        const points = [...(pathsOf(...values)[1] ?? '').matchAll(/([\d.]+),([\d.]+)/g)];
        expect(points).toHaveLength(values.filter((each) => each !== null).length);
        for (const [, x, y] of points) {
          expect(Number(x)).toBeLessThanOrEqual(100);
          expect(Number(y)).toBeGreaterThanOrEqual(1.5);
          expect(Number(y)).toBeLessThanOrEqual(26.5);
        }
      }),
    );
  });
});

describe('A colour', () => {
  it.each<[Colour, string]>([
    [0, 'var(--color-chart-1)'],
    [9, 'var(--color-chart-10)'],
    [10, 'var(--color-chart-1)'],
    ['other', 'var(--color-chart-other)'],
    ['error', 'var(--color-chart-error)'],
  ])('%s is %s of the palette', (colour, value) => {
    expect(cssColour(colour)).toBe(value);
  });
});
