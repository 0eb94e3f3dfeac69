import type { ChartPeriod, ChartSeries } from '#dashboard/charts/chart.ts';
import { createGeometry, type Geometry } from '#dashboard/charts/frame/geometry.ts';

/** Series `0`, `1` and so on, whose texts are their values. */
export function seriesOf(...values: (number | null)[][]): ChartSeries[] {
  return values.map((ofSeries, index) => ({
    id: String(index),
    name: `Series ${index}`,
    colour: index,
    values: ofSeries,
    texts: ofSeries.map(String),
  }));
}

/** The plot is 100 pixels wide and high, from 34, 8 to 134, 108. */
export function geometryOf(periodCount: number, max: number): Geometry {
  return createGeometry({ width: 138, height: 148, periodCount, max, valueLabels: [] });
}

/** The starts of periods. */
export function starts(first: string, count: number, stepMs: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(first) + index * stepMs).toISOString(),
  );
}

export function periodsFrom(first: string, count: number, stepMs: number): ChartPeriod[] {
  const times = starts(first, count + 1, stepMs);
  return times.slice(0, -1).map((start, index) => ({ start, end: times[index + 1] ?? '' }));
}
