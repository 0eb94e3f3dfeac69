import { memo, useId, useMemo } from 'react';
import { type ChartProps, type ChartSeries, cssColour } from './chart.ts';
import { ChartFigure } from './frame/figure.tsx';
import type { Geometry, Marks, MarksProps } from './frame/geometry.ts';

export const bars: Marks = {
  totalName: 'Total',
  isStacked: true,
  maxOf: maxSum,
  Draw: memo(Bars),
  seriesAt(series, index, y, geometry) {
    const segment = segmentsAt(series, index, geometry).find(({ top, bottom }) => y >= top && y < bottom);
    return series[segment?.seriesIndex ?? -1]?.id ?? null;
  },
};

/** Series whose values add up, over time. */
export function StackedBars(props: ChartProps) {
  return <ChartFigure {...props} marks={bars} />;
}

function Bars({ series, periodCount, geometry, incompleteFrom, emphasizedId }: MarksProps) {
  const paths = useMemo(() => stackPaths(series, periodCount, geometry), [series, periodCount, geometry]);
  return (
    <>
      {series.map(({ id, colour }, position) => (
        <path
          key={id}
          d={paths[position]}
          // Without gaps between bars, smooth edges would be light lines.
          shapeRendering={geometry.step < 3 ? 'crispEdges' : undefined}
          fill={cssColour(colour)}
          className="transition-opacity"
          opacity={emphasizedId === null || emphasizedId === id ? 1 : 0.25}
        />
      ))}
      {incompleteFrom < periodCount && (
        <Hatching {...{ series, periodCount, geometry, from: incompleteFrom }} />
      )}
    </>
  );
}

interface HatchingProps {
  series: readonly ChartSeries[];
  periodCount: number;
  geometry: Geometry;
  from: number;
}

/** Marks the bars of periods that have not ended. */
function Hatching({ series, periodCount, geometry, from }: HatchingProps) {
  const patternId = useId();
  const indexes = Array.from({ length: periodCount - from }, (_, offset) => from + offset);
  return (
    <>
      <pattern
        id={patternId}
        width="5"
        height="5"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="2" height="5" className="fill-surface" opacity="0.55" />
      </pattern>
      {indexes.map((index) => {
        const top = segmentsAt(series, index, geometry).at(-1)?.top;
        if (top === undefined) return null;
        return (
          <rect
            key={index}
            x={geometry.barAt(index)}
            y={top}
            width={geometry.barWidth}
            height={geometry.bottom - top}
            fill={`url(#${patternId})`}
          />
        );
      })}
    </>
  );
}

/** A part of a bar: whole pixels, unless the bars are too narrow to be aligned. */
interface Segment {
  seriesIndex: number;
  x: number;
  top: number;
  bottom: number;
}

export function maxSum(series: readonly ChartSeries[], periodCount: number): number {
  let max = 0;
  for (let index = 0; index < periodCount; index += 1) {
    const sum = series.reduce((total, { values }) => total + drawn(values[index]), 0);
    max = Math.max(max, sum);
  }
  return max;
}

/** Returns the parts of a bar from the bottom. */
export function segmentsAt(series: readonly ChartSeries[], index: number, geometry: Geometry): Segment[] {
  const segments: Segment[] = [];
  const x = geometry.barAt(index);
  let sum = 0;
  let bottom = geometry.bottom;
  for (const [seriesIndex, { values }] of series.entries()) {
    const value = drawn(values[index]);
    if (value === 0) continue;
    sum += value;
    // Every bar is visible, but a small part of one need not be.
    const top = Math.min(Math.round(geometry.yOf(sum)), geometry.bottom - 1);
    if (top < bottom) segments.push({ seriesIndex, x, top, bottom });
    bottom = Math.min(bottom, top);
  }
  return segments;
}

/** Returns the path of each series, which contains its parts of all bars: few elements, however many periods there are. */
export function stackPaths(
  series: readonly ChartSeries[],
  periodCount: number,
  geometry: Geometry,
): string[] {
  const paths = series.map(() => '');
  for (let index = 0; index < periodCount; index += 1) {
    const segments = segmentsAt(series, index, geometry);
    for (const [position, segment] of segments.entries()) {
      const isLast = position === segments.length - 1;
      paths[segment.seriesIndex] += segmentPath(segment, geometry.barWidth, position > 0, isLast);
    }
  }
  return paths;
}

const maxRadius = 3;

/** A pixel separates a part from the one below, unless they are tiny. */
function segmentPath(
  { x, top, bottom }: Segment,
  width: number,
  hasBelow: boolean,
  isRounded: boolean,
): string {
  const base = hasBelow && width > 3 && bottom - top > 3 ? bottom - 1 : bottom;
  const radius = isRounded ? Math.floor(Math.min(maxRadius, width / 3, base - top)) : 0;
  const [left, right] = [round(x), round(x + width)];
  if (radius === 0) return `M${left},${base}V${top}H${right}V${base}Z`;
  return (
    `M${left},${base}V${top + radius}Q${left},${top},${left + radius},${top}` +
    `H${right - radius}Q${right},${top},${right},${top + radius}V${base}Z`
  );
}

function drawn(value: number | null | undefined): number {
  return Math.max(0, value ?? 0);
}

function round(length: number): number {
  return Math.round(length * 100) / 100;
}
