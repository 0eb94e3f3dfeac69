/** The figures of two ranges, group by group. */
import {
  formatChange,
  formatColumnDuration,
  formatCount,
  formatPoints,
} from '#dashboard/components/values/number-format.ts';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import { type MetricName, meanCostOf, metrics } from '#dashboard/metrics/metrics.ts';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { subtractUsd } from '#lambdas/platform/money.ts';
import { type ComparedOrder, comparedColumns } from './order.ts';

export interface ComparedRow {
  /** Null for requests without a value. */
  value: string | null;
  /** In the first and the second range; `null` where the group has no requests, or is not listed. */
  first: CostTotals | null;
  second: CostTotals | null;
  state: 'both' | 'new' | 'gone' | 'unlisted';
}

type ComparedFigures = Omit<ComparedRow, 'value'>;

/** The figures of a report's second range. */
export type Previous = NonNullable<CostReport['previous']>;

/** All requests of both ranges. */
export function totalRow(report: CostReport, previous: Previous): ComparedRow {
  return { value: null, first: report.totals, second: previous.totals, state: 'both' };
}

/** Every group that is listed for one of the ranges. */
export function comparedRows(report: CostReport, previous: Previous): ComparedRow[] {
  const [first, second] = [totalsByValue(report.groups), totalsByValue(previous.groups)];
  return [...new Set([...first.keys(), ...second.keys()])].map((value) => {
    const row = { value, first: first.get(value) ?? null, second: second.get(value) ?? null };
    return { ...row, state: stateOf(row, report.other !== null) };
  });
}

function totalsByValue(groups: CostReport['groups']): Map<string | null, CostTotals> {
  return new Map(groups.map(({ value, totals }) => [value, totals]));
}

/** @param hasMore whether the first range has groups that are not listed: a group that is missing may be one of them */
function stateOf(
  { first, second }: Pick<ComparedRow, 'first' | 'second'>,
  hasMore: boolean,
): ComparedRow['state'] {
  if (!second || second.requests === 0) return 'new';
  if (first && first.requests > 0) return 'both';
  return first === null && hasMore ? 'unlisted' : 'gone';
}

/** The difference of a metric, as a number to sort by; `null` where a figure is missing. */
function differenceOf(metric: MetricName, { first, second, state }: ComparedFigures): number | null {
  if (state === 'unlisted') return null;
  const [now, before] = [figureOf(metric, first), figureOf(metric, second)];
  return now === null || before === null ? null : now - before;
}

/** Sums are zero without requests, all other figures are missing. */
function figureOf(metric: MetricName, totals: CostTotals | null): number | null {
  if (totals === null) return metrics[metric].isSum ? 0 : null;
  return metrics[metric].valueOf(totals);
}

/** Relative: 0.25 is 25 % more. Null where a figure is missing, and for a former figure of zero. */
function changeOf(metric: MetricName, row: ComparedFigures): number | null {
  const difference = differenceOf(metric, row);
  const before = figureOf(metric, row.second);
  return difference === null || before === null || before === 0 ? null : difference / before;
}

/**
 * Returns text such as "+$11.79" or "−0.4 pt"; a dash where a figure is missing.
 *
 * @param column all rows, whose durations have one unit
 */
export function differenceText(
  metric: MetricName,
  row: ComparedFigures,
  locale?: Intl.LocalesArgument,
  column: readonly ComparedFigures[] = [row],
): string {
  const difference = differenceOf(metric, row);
  if (difference === null) return '–';
  const text = metrics[metric].isDuration
    ? formatColumnDuration(Math.abs(difference), maxDifference(metric, column), locale)
    : absoluteText(metric, row, Math.abs(difference), locale);
  return signed(difference, text);
}

function maxDifference(metric: MetricName, rows: readonly ComparedFigures[]): number {
  return rows.reduce((max, row) => Math.max(max, Math.abs(differenceOf(metric, row) ?? 0)), 0);
}

export function changeText(metric: MetricName, row: ComparedFigures, locale?: Intl.LocalesArgument): string {
  const change = changeOf(metric, row);
  return change === null ? '–' : signed(change, formatChange(Math.abs(change), locale));
}

function absoluteText(
  metric: MetricName,
  { first, second }: ComparedFigures,
  difference: number,
  locale: Intl.LocalesArgument,
): string {
  if (metric === 'cost' || metric === 'mean_cost') {
    const amountOf = (totals: CostTotals | null) =>
      (totals && (metric === 'cost' ? totals.cost_usd : meanCostOf(totals))) ?? '0';
    // To the last digit.
    return formatUsd(subtractUsd(amountOf(first), amountOf(second)).replace('-', ''), locale);
  }
  if (metric === 'error_rate' || metric === 'cached_share') return formatPoints(difference, locale);
  return formatCount(difference, locale);
}

/** A difference that rounds to zero has no sign, neither has a factor. */
function signed(difference: number, text: string): string {
  if (!/[1-9]/.test(text) || text.endsWith('×')) return text;
  return `${difference > 0 ? '+' : '−'}${text}`;
}

/** Rows without a figure come last. Without an order, the largest difference comes first, be it more or less. */
export function sortedRows(
  rows: readonly ComparedRow[],
  metric: MetricName,
  order: ComparedOrder | undefined,
): ComparedRow[] {
  const column = comparedColumns.find((each) => order?.startsWith(each)) ?? 'difference';
  const sortedBy = (row: ComparedRow): number | null => {
    if (column === 'change') return changeOf(metric, row);
    if (column !== 'difference') return figureOf(metric, row[column]);
    const difference = differenceOf(metric, row);
    return difference === null || order !== undefined ? difference : Math.abs(difference);
  };
  const sign = order?.endsWith('_asc') ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [sortedBy(one), sortedBy(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (b - a);
  });
}
