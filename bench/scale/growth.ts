/** How the cost of a request grows from step to step, as tables. */
import { markdownTable, median, percentile } from '../harness/figures.ts';
import type { LoadFigures } from './measure.ts';

export interface Point {
  name: string;
  /** The amount of what grows. */
  amount: number;
  figures: LoadFigures;
  /** The same requests without the gateway. */
  directMs?: number[];
}

export interface Series {
  title: string;
  /** What there is `amount` of, in the singular. */
  unit: string;
  /** Whether each request has `amount` of it, rather than there being so many requests. */
  perRequest?: boolean;
  points: readonly Point[];
}

export function seriesTable(series: Series): string {
  const { title, unit, points } = series;
  const cpu = cpuSteps(series);
  const rows = points.map(({ name, amount, figures, directMs }, index) => [
    name,
    significant(median(figures.totalMs)),
    significant(percentile(figures.totalMs, 0.99)),
    directMs === undefined ? '–' : significant(median(directMs)),
    String(figures.errors),
    significant(figures.rssMb),
    significant(figures.cpuMicros),
    significant((cpu[index]?.cost ?? 0) / amount),
    index === 0 ? '–' : `n^${exponent(cpu[index - 1], cpu[index]).toFixed(2)}`,
  ]);
  const headings = [
    '',
    'p50, ms',
    'p99',
    'p50 without the gateway',
    'Errors',
    'RSS, MB',
    'CPU, µs a request',
    `for each ${unit}`,
    'CPU grows with',
  ];
  return markdownTable(title, headings, rows);
}

/** The first and the last step of each series, and the exponent of the step in which CPU time grew most. */
export function summaryTable(all: readonly Series[]): string {
  const rows = all.map((series) => {
    const { title, points } = series;
    const ends = [points.at(0), points.at(-1)].filter((point) => point !== undefined);
    const fromTo = (text: (point: Point) => string) => ends.map(text).join(' → ');
    const cpu = cpuSteps(series);
    const exponents = cpu.slice(1).map((step, index) => exponent(cpu[index], step));
    const errors = points.reduce((sum, { figures }) => sum + figures.errors, 0);
    return [
      title,
      fromTo(({ name }) => name),
      fromTo(({ figures }) => significant(median(figures.totalMs))),
      points[0]?.directMs === undefined ? '–' : fromTo(({ directMs = [] }) => significant(median(directMs))),
      String(errors),
      fromTo(({ figures }) => significant(figures.cpuMicros)),
      `n^${Math.max(...exponents).toFixed(2)}`,
    ];
  });
  const headings = [
    'What grows',
    'From, to',
    'p50, ms',
    'p50 without the gateway',
    'Errors',
    'CPU, µs a request',
    'CPU grows at most with',
  ];
  return markdownTable('How costs grow', headings, rows);
}

interface Step {
  amount: number;
  /** Of all that `amount` stands for. */
  cost: number;
}

function cpuSteps({ points, perRequest = false }: Series): Step[] {
  return points.map(({ amount, figures: { cpuMicros } }) => ({
    amount,
    cost: perRequest ? cpuMicros : cpuMicros * amount,
  }));
}

/** 1 is linear. Two measurements of the same thing differ by a quarter, which is 0.1 in a step of ten times. */
function exponent(before: Step | undefined, step: Step | undefined): number {
  if (before === undefined || step === undefined) return Number.NaN;
  return Math.log(step.cost / before.cost) / Math.log(step.amount / before.amount);
}

function significant(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
