import { line } from 'd3-shape';
import { memo, useMemo } from 'react';
import { type ChartProps, type ChartSeries, cssColour } from './chart.ts';
import { ChartFigure } from './frame/figure.tsx';
import type { Geometry, Marks, MarksProps } from './frame/geometry.ts';

/** From a line to the pointer, in pixels. */
const maxDistance = 10;

export const lines: Marks = {
  totalName: 'All requests',
  isStacked: false,
  maxOf: (series) =>
    series.reduce((max, { values }) => values.reduce<number>((m, value) => Math.max(m, value ?? 0), max), 0),
  Draw: memo(LinePaths),
  DrawActive: Points,
  seriesAt(series, index, y, geometry) {
    const distances = series.map(({ id, values }) => {
      const value = values[index] ?? null;
      return { id, distance: value === null ? Number.POSITIVE_INFINITY : Math.abs(geometry.yOf(value) - y) };
    });
    const nearest = distances.sort((a, b) => a.distance - b.distance)[0];
    return nearest !== undefined && nearest.distance <= maxDistance ? nearest.id : null;
  },
};

/** Series whose values do not add up, such as latencies, over time. */
export function Lines(props: ChartProps) {
  return <ChartFigure {...props} marks={lines} />;
}

function LinePaths({ series, geometry, emphasizedId }: MarksProps) {
  const paths = useMemo(() => series.map(({ values }) => linePaths(values, geometry)), [series, geometry]);
  return (
    <g fill="none" strokeLinecap="round" strokeLinejoin="round">
      {series.map(({ id, colour }, position) => (
        <g
          key={id}
          stroke={cssColour(colour)}
          className="transition-opacity"
          opacity={emphasizedId === null || emphasizedId === id ? 1 : 0.2}
        >
          <path d={paths[position]?.connected} strokeWidth={emphasizedId === id ? 2.5 : 1.75} />
          <path d={paths[position]?.isolated} strokeWidth={5} />
        </g>
      ))}
    </g>
  );
}

/** Values without a neighbour are points. */
function linePaths(values: readonly (number | null)[], { centreOf, yOf }: Geometry) {
  const connected = line<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => centreOf(index))
    .y((value) => yOf(value ?? 0));
  const isolated = values.map((value, index) => {
    if (value === null || (values[index - 1] ?? null) !== null || (values[index + 1] ?? null) !== null)
      return '';
    return `M${centreOf(index)},${yOf(value)}h0`;
  });
  return { connected: connected(values) ?? '', isolated: isolated.join('') };
}

function Points({ series, geometry, index, emphasizedId }: MarksProps & { index: number }) {
  return series.map(({ id, colour, values }: ChartSeries) => {
    const value = values[index] ?? null;
    if (value === null) return null;
    return (
      <circle
        key={id}
        cx={geometry.centreOf(index)}
        cy={geometry.yOf(value)}
        r={emphasizedId === id ? 5 : 4}
        fill={cssColour(colour)}
        className="stroke-surface"
        strokeWidth={2}
      />
    );
  });
}
