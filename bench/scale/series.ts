/** One thing that grows, step by step, and what requests cost at each. */
import { markdownTable } from '../shared/markdown-table.ts';
import { percentile } from '../shared/percentile.ts';
import { barChart, shown } from './chart.ts';
import { type Growth, growthOf, type Step, verdict } from './growth.ts';
import type { LoadFigures } from './load.ts';

export interface Point {
  /** How much there is of what grows. */
  n: number;
  name: string;
  figures: LoadFigures;
  /** The same requests without the gateway; `null` where that says nothing. */
  directMs: number[] | null;
}

export interface Series {
  title: string;
  /** What grows, in the plural: of it each point has n. */
  what: string;
  /** What the processor's time of a point is shared among, in the singular. */
  each: string;
  /** Whether each request has n of it, or there are n requests. */
  isInRequest: boolean;
  points: Point[];
}

export function renderSeries(series: Series): string {
  const { title, what, each, points } = series;
  const cpu = growthOf(points.map((point) => cpuStep(series, point)));
  const latency = growthOf(points.map(({ n, figures }) => ({ n, cost: percentile(figures.totalMs, 0.5) })));
  const rows = points.map((point, place) => [...timesOf(point), ...growthCells(cpu[place])]);
  const headings = [
    what,
    'p50, ms',
    'p99',
    'p50 without the gateway',
    'Not as asked',
    'RSS, MB',
    'Processor, µs a request',
    `for each ${each}`,
    'for each more',
    'Against the step before',
  ];
  return [
    markdownTable(title, headings, rows),
    `Processor: ${verdict(cpu)} p50: ${verdict(latency)}\n`,
    barChart(
      `Processor, µs for each ${each}`,
      cpu.map((growth, place) => ({ name: points[place]?.name ?? '', value: growth.each })),
    ),
  ].join('\n');
}

function cpuStep({ isInRequest }: Series, { n, figures: { cpuMicrosEach } }: Point): Step {
  return { n, cost: isInRequest ? cpuMicrosEach : cpuMicrosEach * n };
}

function timesOf({ name, figures, directMs }: Point): string[] {
  const { totalMs, cpuMicrosEach, rssMb, wrongAnswers, wrongEntries } = figures;
  return [
    name,
    shown(percentile(totalMs, 0.5)),
    shown(percentile(totalMs, 0.99)),
    directMs === null ? '–' : shown(percentile(directMs, 0.5)),
    String(wrongAnswers + wrongEntries),
    shown(rssMb),
    shown(cpuMicrosEach),
  ];
}

/** Of the first step there is no growth. */
function growthCells(growth: Growth | undefined): string[] {
  return [growth?.each, growth?.eachMore, growth?.ratio].map((value) => (value == null ? '–' : shown(value)));
}
