import { scaleBand } from 'd3-scale';
import { textWidth } from '../axes/time-ticks.ts';

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
