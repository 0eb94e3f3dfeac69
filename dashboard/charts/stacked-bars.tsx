import { memo, useId, useMemo } from 'react';
import { maxSum, segmentsAt, stackPaths } from './bars/stack.ts';
import { type ChartProps, type ChartSeries, cssColour } from './chart.ts';
import { ChartFigure } from './frame/figure.tsx';
import type { Geometry } from './frame/geometry.ts';
import type { Marks, MarksProps } from './frame/marks.ts';

/** Series whose values add up, over time. */
export function StackedBars(props: ChartProps) {
  return <ChartFigure {...props} marks={bars} />;
}

const bars: Marks = {
  totalName: 'Total',
  isStacked: true,
  maxOf: maxSum,
  Draw: memo(Bars),
  seriesAt(series, index, y, geometry) {
    const segment = segmentsAt(series, index, geometry).find(({ top, bottom }) => y >= top && y < bottom);
    return series[segment?.seriesIndex ?? -1]?.id ?? null;
  },
};

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
