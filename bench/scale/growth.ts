/** Formats the growth of latency and CPU time from step to step as tables. */
import { markdownTable, median, percentile } from '../harness/figures.ts';

export interface LoadFigures {
  totalMs: number[];
  cpuMicros: number;
  rssMb: number;
  /** Number of incomplete or wrong responses, and of missing, duplicate, misattributed or wrong log entries. */
  errors: number;
}

export interface Point {
  name: string;
  /** Value of the independent variable, in units of the series. */
  amount: number;
  figures: LoadFigures;
  /** Latency of the same requests without the gateway. */
  directMs?: number[];
}

export interface Series {
  title: string;
  unit: string;
  /** True when `amount` is a property of each request, otherwise it is a number of requests or organizations. */
  perRequest?: boolean;
  points: readonly Point[];
}

export function seriesTable(series: Series): string {
  const { title, unit, points } = series;
  const cpu = cpuSteps(series);
  const rows = points.map(({ name, amount, figures, directMs }, index) => [
    name,
    formatFigure(median(figures.totalMs)),
    formatFigure(percentile(figures.totalMs, 0.99)),
    directMs === undefined ? '–' : formatFigure(median(directMs)),
    String(figures.errors),
    formatFigure(figures.rssMb),
    formatFigure(figures.cpuMicros),
    formatFigure((cpu[index]?.cpuMicros ?? 0) / amount),
    index === 0 ? '–' : `n^${growthExponent(cpu[index - 1], cpu[index]).toFixed(2)}`,
  ]);
  const headings = [
    '',
    'p50, ms',
    'p99',
    'p50 without the gateway',
    'Errors',
    'RSS, MB',
    'CPU per request, µs',
    `CPU per ${unit}, µs`,
    'CPU growth',
  ];
  return markdownTable(title, headings, rows);
}

/** Shows the first and the last step of each series, and the highest growth exponent between adjacent steps. */
export function summaryTable(all: readonly Series[]): string {
  const rows = all.map((series) => {
    const { title, points } = series;
    const ends = [points.at(0), points.at(-1)].filter((point) => point !== undefined);
    const formatRange = (text: (point: Point) => string) => ends.map(text).join(' → ');
    const cpu = cpuSteps(series);
    const exponents = cpu.slice(1).map((step, index) => growthExponent(cpu[index], step));
    const errors = points.reduce((sum, { figures }) => sum + figures.errors, 0);
    return [
      title,
      formatRange(({ name }) => name),
      formatRange(({ figures }) => formatFigure(median(figures.totalMs))),
      points[0]?.directMs === undefined
        ? '–'
        : formatRange(({ directMs = [] }) => formatFigure(median(directMs))),
      String(errors),
      formatRange(({ figures }) => formatFigure(figures.cpuMicros)),
      `n^${Math.max(...exponents).toFixed(2)}`,
    ];
  });
  const headings = [
    'Series',
    'Range',
    'p50, ms',
    'p50 without the gateway',
    'Errors',
    'CPU per request, µs',
    'Max. CPU growth',
  ];
  return markdownTable('Summary', headings, rows);
}

interface Step {
  amount: number;
  /** CPU time of the whole `amount`. */
  cpuMicros: number;
}

function cpuSteps({ points, perRequest = false }: Series): Step[] {
  return points.map(({ amount, figures: { cpuMicros } }) => ({
    amount,
    cpuMicros: perRequest ? cpuMicros : cpuMicros * amount,
  }));
}

/**
 * Returns the exponent of a power law through both steps; 1 is linear growth. Repeated measurements differ by up to 25 %,
 * which is an error of 0.1 between steps that differ by a factor of ten.
 */
function growthExponent(previous: Step | undefined, step: Step | undefined): number {
  if (previous === undefined || step === undefined) return Number.NaN;
  return Math.log(step.cpuMicros / previous.cpuMicros) / Math.log(step.amount / previous.amount);
}

function formatFigure(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
