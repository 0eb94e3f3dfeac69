import type { ComponentType } from 'react';
import type { ChartSeries } from '../chart.ts';
import type { Geometry } from './geometry.ts';

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
