import type { Interval } from '#lambdas/accounts/analytics/responses.ts';

/** A position in the palette, from 0. The rest of the groups is grey, and errors are red. */
export type Colour = number | 'other' | 'error';

/** The number of colours in the palette of `styles.css`. */
export const paletteSize = 10;

/** The value of a property such as `fill`. */
export function cssColour(colour: Colour): string {
  return `var(--color-chart-${typeof colour === 'number' ? (colour % paletteSize) + 1 : colour})`;
}

export interface ChartPeriod {
  /** ISO 8601. */
  start: string;
  end: string;
}

export interface ChartSeries {
  /** Unique in the chart. */
  id: string;
  name: string;
  colour: Colour;
  /** To draw, in the order of the periods; `null` where there is no data. */
  values: readonly (number | null)[];
  /** The figures as shown. */
  texts: readonly string[];
}

/** The id of the only series of a chart without groups, which needs no legend. */
export const allRequestsId = 'all';

/** A point or bar that was chosen. */
export interface ChartSelection {
  period: ChartPeriod;
  /** Null for all series of the period. */
  seriesId: string | null;
}

export interface ChartProps {
  /** The accessible name. */
  label: string;
  periods: readonly ChartPeriod[];
  interval: Interval;
  timeZone: string;
  /** Without any, or without any value, the chart says that there are no requests. */
  series: readonly ChartSeries[];
  /** The figures of all series together, by period. */
  totals?: readonly string[];
  formatAxis: (value: number) => string;
  /** Whether the values are milliseconds, whose axis has steps such as 30 seconds. */
  areDurations?: boolean;
  /** In pixels, with the axes, but without the legend and the line above. */
  height?: number;
  /** Without, nothing can be chosen. */
  onSelect?: (selection: ChartSelection) => void;
  /** Tells in the tooltip where a choice leads, such as "Click for the requests of this hour". */
  selectHint?: string;
  /** Without, no part of the time can be selected. */
  onBrush?: (window: ChartPeriod) => void;
}

export const defaultChartHeight = 260;
