import { scaleBand } from 'd3-scale';
import { type ComponentType, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { ChartSeries } from '../chart.ts';
import { textWidth } from './time-ticks.ts';

/** Where periods and values are drawn, in pixels from the top left. */
export interface Geometry {
  width: number;
  height: number;
  /** The sides of the plot, inside the labels. */
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** The distance of periods. */
  step: number;
  barWidth: number;
  /** The left side of a bar. */
  barAt: (index: number) => number;
  centreOf: (index: number) => number;
  /** Returns the nearest period. */
  indexAt: (x: number) => number;
  yOf: (value: number) => number;
}

interface Space {
  width: number;
  height: number;
  periodCount: number;
  /** The value at the top. */
  max: number;
  valueLabels: readonly string[];
}

const labelGap = 10;
const maxBarWidth = 48;

/** Narrower bars are not aligned with pixels, which would make their widths differ visibly. */
const minAlignedStep = 6;

export const plotMargins = { top: 8, right: 4, bottom: 40 };

export function createGeometry({ width, height, periodCount, max, valueLabels }: Space): Geometry {
  const left = Math.ceil(Math.max(24, ...valueLabels.map(textWidth))) + labelGap;
  const [right, top, bottom] = [width - plotMargins.right, plotMargins.top, height - plotMargins.bottom];
  const step = Math.max(0, right - left) / Math.max(1, periodCount);
  const padding = step < 3 ? 0 : step < minAlignedStep ? 0.15 : 0.22;
  const band = scaleBand<number>()
    .domain(Array.from({ length: periodCount }, (_, index) => index))
    .range([left, right])
    .paddingInner(padding)
    .paddingOuter(padding / 2);
  // Narrower bars would leave out some pixels.
  const barWidth = Math.max(1, Math.min(band.bandwidth(), maxBarWidth));
  const align = step < minAlignedStep ? (x: number) => x : Math.round;
  const startOf = (index: number) => band(index) ?? left;
  return {
    width,
    height,
    left,
    right,
    top,
    bottom,
    step,
    barWidth: align(barWidth),
    barAt: (index) => align(startOf(index) + (band.bandwidth() - barWidth) / 2),
    centreOf: (index) => startOf(index) + band.bandwidth() / 2,
    indexAt: (x) => Math.min(periodCount - 1, Math.max(0, Math.floor((x - left) / step))),
    yOf: (value) => bottom - (value / max) * (bottom - top),
  };
}

export interface MarksProps {
  series: readonly ChartSeries[];
  periodCount: number;
  geometry: Geometry;
  /** The periods from this one have not ended. */
  incompleteFrom: number;
  /** The other series are dimmed. */
  emphasizedId: string | null;
}

/** How a chart draws its series. */
export interface Marks {
  /** The name of the figures of all series together. */
  totalName: string;
  /** Whether the series are on top of each other, so that lists of them begin with the last. */
  isStacked: boolean;
  maxOf: (series: readonly ChartSeries[], periodCount: number) => number;
  Draw: ComponentType<MarksProps>;
  /** Shown over the current period, such as its points. */
  DrawActive?: ComponentType<MarksProps & { index: number }>;
  /** Returns the series that is drawn at a height of the period. */
  seriesAt: (series: readonly ChartSeries[], index: number, y: number, geometry: Geometry) => string | null;
}

/** Returns the width of the element in whole pixels, 0 before it is known. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => setWidth(Math.floor(element.getBoundingClientRect().width));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
