import { describe, expect, it } from 'vitest';
import type { ChartSeries } from '#dashboard/charts/chart.ts';
import { createGeometry } from '#dashboard/charts/frame/geometry.ts';
import { maxSum, segmentsAt, stackPaths } from '#dashboard/charts/stacked-bars.tsx';

function seriesOf(...values: (number | null)[][]): ChartSeries[] {
  return values.map((ofSeries, index) => ({
    id: String(index),
    name: String(index),
    colour: index,
    values: ofSeries,
    texts: ofSeries.map(String),
  }));
}

/** The plot is 100 pixels wide and high. */
function geometryOf(periodCount: number, max: number) {
  return createGeometry({ width: 138, height: 148, periodCount, max, valueLabels: [] });
}

describe('Stacked bars', () => {
  it('put series on top of each other, with round corners on the last', () => {
    const series = seriesOf([50, 0], [25, null], [0, 100]);
    expect(maxSum(series, 2)).toBe(100);
    expect(stackPaths(series, 2, geometryOf(2, 100))).toEqual([
      'M40,108V58H79V108Z',
      'M40,57V36Q40,33,43,33H76Q79,33,79,36V57Z',
      'M90,108V11Q90,8,93,8H126Q129,8,129,11V108Z',
    ]);
  });

  it('show a tiny value as a pixel', () => {
    const [segment] = segmentsAt(seriesOf([0.0001, 100]), 0, geometryOf(2, 100));
    expect(segment).toEqual({ seriesIndex: 0, x: 40, top: 107, bottom: 108 });
  });

  it('fill every pixel of the width with a thousand periods', () => {
    const geometry = geometryOf(1000, 1);
    expect(geometry.barWidth).toBe(1);
    expect(geometry.barAt(0)).toBeLessThanOrEqual(34);
    expect(geometry.barAt(999)).toBeGreaterThan(133);
    expect([geometry.indexAt(34), geometry.indexAt(134)]).toEqual([0, 999]);
  });
});
