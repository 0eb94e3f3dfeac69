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
  /** What grows, in the plural. */
  subject: string;
  /** The unit of `amount`. */
  unit: string;
  /** Whether one request has `amount` of it, or there are `amount` requests. */
  perRequest: boolean;
  points: Point[];
}

export function seriesTable(series: Series): string {
  const cpu = cpuSteps(series);
  const rows = series.points.map(({ name, figures, directMs }, index) => [
    name,
    significant(median(figures.totalMs)),
    significant(percentile(figures.totalMs, 0.99)),
    directMs === undefined ? '–' : significant(median(directMs)),
    String(figures.errors),
    significant(figures.rssMb),
    significant(figures.cpuMicros),
    ...growthCells(cpu[index - 1], cpu[index]),
  ]);
  const headings = [
    series.subject,
    'p50, ms',
    'p99',
    'p50 without the gateway',
    'Errors',
    'RSS, MB',
    'CPU, µs a request',
    `for each ${series.unit}`,
    'for each more',
    'Against the step before',
  ];
  return markdownTable(series.title, headings, rows);
}

/** The first and the last step of each series, and the exponent of the step in which CPU time grew most. */
export function summaryTable(all: readonly Series[]): string {
  const rows = all.map((series) => {
    const { title, points } = series;
    const ends = [points.at(0), points.at(-1)].filter((point) => point !== undefined);
    const fromTo = (text: (point: Point) => string) => ends.map(text).join(' → ');
    const errors = points.reduce((sum, { figures }) => sum + figures.errors, 0);
    return [
      title,
      fromTo(({ name }) => name),
      fromTo(({ figures }) => significant(median(figures.totalMs))),
      points[0]?.directMs === undefined ? '–' : fromTo(({ directMs = [] }) => significant(median(directMs))),
      String(errors),
      fromTo(({ figures }) => significant(figures.cpuMicros)),
      `n^${steepestExponent(cpuSteps(series)).toFixed(2)}`,
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

function cpuSteps({ points, perRequest }: Series): Step[] {
  return points.map(({ amount, figures: { cpuMicros } }) => ({
    amount,
    cost: perRequest ? cpuMicros : cpuMicros * amount,
  }));
}

function growthCells(before: Step | undefined, step: Step | undefined): string[] {
  if (step === undefined) return [];
  const each = step.cost / step.amount;
  if (before === undefined) return [significant(each), '–', '–'];
  const eachMore = (step.cost - before.cost) / (step.amount - before.amount);
  return [each, eachMore, each / (before.cost / before.amount)].map(significant);
}

/** 1 is linear. Two measurements of the same thing differ by a quarter, which is 0.1 in a step of ten times. */
function steepestExponent(steps: readonly Step[]): number {
  const exponents = steps.slice(1).map(({ amount, cost }, index) => {
    const before = steps[index] ?? { amount: Number.NaN, cost: Number.NaN };
    return Math.log(cost / before.cost) / Math.log(amount / before.amount);
  });
  return Math.max(...exponents);
}

function significant(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
