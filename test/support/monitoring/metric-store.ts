/** Keeps the values of metrics, aggregated by minute as CloudWatch does. */

import { minuteMs } from '#lambdas/platform/duration.ts';

export interface Metric {
  namespace: string;
  name: string;
  dimensions: Readonly<Record<string, string>>;
}

export interface Measurement {
  metric: Metric;
  unit: string;
  values: readonly number[];
  atMs: number;
}

export interface TimeWindow {
  startMs: number;
  /** Exclusive. */
  endMs: number;
}

/** `p` followed by a percentage is a percentile. */
export type Statistic = 'Average' | 'Maximum' | 'Minimum' | 'SampleCount' | 'Sum' | `p${number}`;

export interface MetricQuery {
  metric: Metric;
  statistic: Statistic;
  /** Selects the values with this unit; all by default. */
  unit?: string;
}

export interface MetricStore {
  /** When the store began to record: what happened before is unknown. */
  readonly startMs: number;
  record(measurement: Measurement): void;
  /** Returns `null` when there are no values in the window, whose bounds are full minutes. */
  read(query: MetricQuery, window: TimeWindow): number | null;
  sampleCount(query: Pick<MetricQuery, 'metric' | 'unit'>, window: TimeWindow): number;
  /** The metrics that have been recorded, with their units. */
  recorded(): { metric: Metric; unit: string }[];
}

interface Summary {
  count: number;
  sum: number;
  min: number;
  max: number;
  /** Occurrences of each value, rounded to three digits. */
  occurrences: Map<number, number>;
}

interface Series {
  metric: Metric;
  unit: string;
  /** By the start of the minute, in milliseconds since 1970. */
  minutes: Map<number, Summary>;
}

export function createMetricStore(startMs: number): MetricStore {
  const seriesByMetric = new Map<string, Series[]>();

  function seriesOf({ metric, unit }: Measurement): Series {
    const key = keyOf(metric);
    const all = seriesByMetric.get(key) ?? [];
    const existing = all.find((series) => series.unit === unit);
    if (existing !== undefined) return existing;
    const series = { metric, unit, minutes: new Map() };
    seriesByMetric.set(key, [...all, series]);
    return series;
  }

  function summaryOf({ minutes }: Series, minute: number): Summary {
    const existing = minutes.get(minute);
    if (existing !== undefined) return existing;
    const summary: Summary = {
      count: 0,
      sum: 0,
      min: Number.POSITIVE_INFINITY,
      max: Number.NEGATIVE_INFINITY,
      occurrences: new Map(),
    };
    minutes.set(minute, summary);
    return summary;
  }

  function summaries({ metric, unit }: Pick<MetricQuery, 'metric' | 'unit'>, window: TimeWindow): Summary[] {
    const found: Summary[] = [];
    for (const series of seriesByMetric.get(keyOf(metric)) ?? []) {
      if (unit !== undefined && unit !== series.unit) continue;
      for (const [minute, summary] of series.minutes) {
        if (minute >= window.startMs && minute < window.endMs) found.push(summary);
      }
    }
    return found;
  }

  return {
    startMs,
    record(measurement) {
      const summary = summaryOf(seriesOf(measurement), Math.floor(measurement.atMs / minuteMs) * minuteMs);
      for (const value of measurement.values) add(summary, value);
    },
    read(query, window) {
      const found = summaries(query, window);
      return found.length === 0 ? null : statisticOf(query.statistic, found);
    },
    sampleCount: (query, window) => total(summaries(query, window), 'count'),
    recorded: () => [...seriesByMetric.values()].flat().map(({ metric, unit }) => ({ metric, unit })),
  };
}

/** Identifies a metric, whatever the order of its dimensions. */
function keyOf({ namespace, name, dimensions }: Metric): string {
  const sorted = Object.entries(dimensions).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([namespace, name, sorted]);
}

function add(summary: Summary, value: number): void {
  summary.count += 1;
  summary.sum += value;
  summary.min = Math.min(summary.min, value);
  summary.max = Math.max(summary.max, value);
  const rounded = Number(value.toPrecision(3));
  summary.occurrences.set(rounded, (summary.occurrences.get(rounded) ?? 0) + 1);
}

function statisticOf(statistic: Statistic, summaries: readonly Summary[]): number {
  switch (statistic) {
    case 'Average':
      return total(summaries, 'sum') / total(summaries, 'count');
    case 'Maximum':
      return Math.max(...summaries.map(({ max }) => max));
    case 'Minimum':
      return Math.min(...summaries.map(({ min }) => min));
    case 'SampleCount':
      return total(summaries, 'count');
    case 'Sum':
      return total(summaries, 'sum');
    default:
      return percentileOf(Number(statistic.slice(1)) / 100, summaries);
  }
}

function total(summaries: readonly Summary[], field: 'count' | 'sum'): number {
  return summaries.reduce((sum, summary) => sum + summary[field], 0);
}

/** Returns the smallest value that at least `fraction` of the values do not exceed. */
function percentileOf(fraction: number, summaries: readonly Summary[]): number {
  const occurrences = summaries.flatMap(({ occurrences: byValue }) => [...byValue]);
  const ascending = occurrences.sort(([one], [other]) => one - other);
  const rank = fraction * ascending.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [value, count] of ascending) {
    seen += count;
    if (seen >= rank) return value;
  }
  throw new Error('There are no values');
}
