import { memo } from 'react';
import type { Geometry } from './geometry.ts';
import { type Tick, type TimeTicks, textWidth } from './time-ticks.ts';

interface AxesProps {
  geometry: Geometry;
  values: readonly { value: number; label: string }[];
  time: TimeTicks;
}

/** The lines of values, and the labels of values and periods. */
export const Axes = memo(function Axes({ geometry, values, time }: AxesProps) {
  const { left, right, bottom, yOf } = geometry;
  return (
    <g className="fill-muted text-[0.6875rem] tabular-nums">
      {values.map(({ value, label }) => {
        // The middle of a pixel, which makes the line sharp.
        const y = Math.round(yOf(value)) - 0.5;
        return (
          <g key={value}>
            <line
              x1={left}
              x2={right}
              y1={y}
              y2={y}
              className={value === 0 ? 'stroke-control' : 'stroke-line'}
            />
            <text x={left - 8} y={y} dy="0.35em" textAnchor="end">
              {label}
            </text>
          </g>
        );
      })}
      <TickLabels ticks={time.ticks} geometry={geometry} y={bottom + 16} />
      <TickLabels ticks={time.groups} geometry={geometry} y={bottom + 32} className="font-medium" />
    </g>
  );
});

interface TickLabelsProps {
  ticks: readonly Tick[];
  geometry: Geometry;
  y: number;
  className?: string;
}

function TickLabels({ ticks, geometry, y, className }: TickLabelsProps) {
  return ticks.map(({ index, text }) => {
    const half = textWidth(text) / 2;
    const x = Math.max(half, Math.min(geometry.centreOf(index), geometry.width - half));
    return (
      <text key={index} x={x} y={y} textAnchor="middle" className={className}>
        {text}
      </text>
    );
  });
}
