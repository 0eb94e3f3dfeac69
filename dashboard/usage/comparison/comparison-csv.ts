/** The comparison of two ranges as comma-separated values: a line for each group, with exact amounts of both. */
import { saveCsv } from '#dashboard/api/download.ts';
import { filterOfGroup } from '#dashboard/filters/cost-filters.ts';
import { localDate } from '#dashboard/range/range.ts';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { type CsvValue, csvLine } from '#lambdas/platform/csv.ts';
import { type ComparedRow, comparedRows, type Previous, totalRow } from './rows.ts';

/** In the order of the columns, of which each range has one. */
const figures: Record<string, (totals: CostTotals) => CsvValue> = {
  requests: ({ requests }) => requests,
  cost_usd: ({ cost_usd }) => cost_usd,
  input_tokens: ({ input_tokens }) => input_tokens,
  output_tokens: ({ output_tokens }) => output_tokens,
  error_requests: ({ error_requests }) => error_requests,
  mean_latency_ms: ({ mean_latency_ms }) => mean_latency_ms,
  latency_p50_ms: ({ latency_ms }) => latency_ms?.p50 ?? null,
  latency_p95_ms: ({ latency_ms }) => latency_ms?.p95 ?? null,
};

/** A group that is not listed for a range has empty fields. The last line is the sum of all requests, `is_total`. */
export function comparisonCsv(report: CostReport, previous: Previous): string {
  const group = report.group_by;
  const header = [
    'is_total',
    ...(group === null ? [] : [filterOfGroup[group]]),
    'state',
    ...['first', 'second'].flatMap((range) => Object.keys(figures).map((name) => `${range}_${name}`)),
  ];
  const lineOf = (row: ComparedRow, isTotal: boolean): CsvValue[] => [
    isTotal,
    ...(group === null ? [] : [row.value]),
    row.state,
    ...figuresOf(row.first),
    ...figuresOf(row.second),
  ];
  const groups = comparedRows(report, previous).map((row) => lineOf(row, false));
  const lines = [...groups, lineOf(totalRow(report, previous), true)];
  return [header, ...lines].map((line) => csvLine(line)).join('');
}

function figuresOf(totals: CostTotals | null): CsvValue[] {
  return Object.values(figures).map((read) => (totals === null ? null : read(totals)));
}

export function saveComparison(report: CostReport, previous: Previous): void {
  const dates = [report.window.start, previous.window.start].map((start) =>
    start === null ? '' : localDate(new Date(start), report.time_zone),
  );
  saveCsv(comparisonCsv(report, previous), `usage-since-${dates[0]}-compared-with-${dates[1]}.csv`);
}
