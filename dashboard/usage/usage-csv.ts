/** A report over time as comma-separated values: a line for each period and group, with exact amounts. */

import { saveFile } from '#dashboard/api/download.ts';
import { filterOfGroup } from '#dashboard/filters/cost-filters.ts';
import { localDate } from '#dashboard/range/range.ts';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { type CsvValue, csvLine } from '#lambdas/platform/csv.ts';

/** In the order of the columns. */
const figures: Record<string, (totals: CostTotals) => CsvValue> = {
  requests: ({ requests }) => requests,
  cost_usd: ({ cost_usd }) => cost_usd,
  mean_cost_usd: ({ mean_cost_usd }) => mean_cost_usd,
  input_tokens: ({ input_tokens }) => input_tokens,
  output_tokens: ({ output_tokens }) => output_tokens,
  cached_input_tokens: ({ cached_input_tokens }) => cached_input_tokens,
  cache_write_input_tokens: ({ cache_write_input_tokens }) => cache_write_input_tokens,
  reasoning_tokens: ({ reasoning_tokens }) => reasoning_tokens,
  unpriced_requests: ({ unpriced_requests }) => unpriced_requests,
  assumed_requests: ({ assumed_requests }) => assumed_requests,
  assumed_cost_usd: ({ assumed_cost_usd }) => assumed_cost_usd,
  estimated_requests: ({ estimated_requests }) => estimated_requests,
  estimated_cost_usd: ({ estimated_cost_usd }) => estimated_cost_usd,
  uncertain_cost_share: ({ uncertain_cost_share }) => uncertain_cost_share,
  error_requests: ({ error_requests }) => error_requests,
  provider_error_requests: ({ provider_error_requests }) => provider_error_requests,
  timeout_requests: ({ timeout_requests }) => timeout_requests,
  interrupted_requests: ({ interrupted_requests }) => interrupted_requests,
  client_closed_requests: ({ client_closed_requests }) => client_closed_requests,
  rejected_requests: ({ rejected_requests }) => rejected_requests,
  mean_latency_ms: ({ mean_latency_ms }) => mean_latency_ms,
  mean_overhead_ms: ({ mean_overhead_ms }) => mean_overhead_ms,
  latency_p50_ms: ({ latency_ms }) => latency_ms?.p50 ?? null,
  latency_p95_ms: ({ latency_ms }) => latency_ms?.p95 ?? null,
  latency_p99_ms: ({ latency_ms }) => latency_ms?.p99 ?? null,
  time_to_first_token_p50_ms: (totals) => totals.time_to_first_token_ms?.p50 ?? null,
  time_to_first_token_p95_ms: (totals) => totals.time_to_first_token_ms?.p95 ?? null,
  time_to_first_token_p99_ms: (totals) => totals.time_to_first_token_ms?.p99 ?? null,
};

/**
 * Without groups, a line for each period. With groups, those that have requests in the period, and a line for the groups
 * that are not listed, whose `is_other` is true. A group without a value has an empty field.
 */
export function usageCsv(report: CostReport, keyNames: ReadonlyMap<string, string>): string {
  const { group_by: group, time_zone: timeZone } = report;
  const nameColumns = group === 'api_key' ? ['api_key_name'] : [];
  const groupNames = group === null ? [] : ['is_other', filterOfGroup[group], ...nameColumns];
  const header = ['period_start', 'period_end', 'time_zone', ...groupNames, ...Object.keys(figures)];
  const lines = report.series.flatMap(({ start, end, totals, groups, other }) => {
    const period = [start, end, timeZone];
    if (group === null) return [[...period, ...figuresOf(totals)]];
    const nameOf = (value: string | null) =>
      group === 'api_key' ? [value === null ? null : (keyNames.get(value) ?? null)] : [];
    return [
      ...groups.map(({ value, totals: own }) => [
        ...period,
        false,
        value,
        ...nameOf(value),
        ...figuresOf(own),
      ]),
      ...(other ? [[...period, true, null, ...nameOf(null), ...figuresOf(other.totals)]] : []),
    ];
  });
  return [header, ...lines].map((line) => csvLine(line)).join('');
}

function figuresOf(totals: CostTotals): CsvValue[] {
  return Object.values(figures).map((read) => read(totals));
}

/** Returns text such as "usage-by-model-2026-10-24-to-2026-11-23.csv": the days of the first and the last period. */
export function usageFileName({ group_by: group, series, time_zone: timeZone }: CostReport): string {
  const dates = [series[0], series.at(-1)].map((period) =>
    period === undefined ? '' : localDate(new Date(period.start), timeZone),
  );
  return `usage${group === null ? '' : `-by-${filterOfGroup[group].replaceAll('_', '-')}`}-${dates.join('-to-')}.csv`;
}

export function saveUsage(report: CostReport, keyNames: ReadonlyMap<string, string>): void {
  const content = new Blob([usageCsv(report, keyNames)], { type: 'text/csv;charset=utf-8' });
  saveFile(content, usageFileName(report));
}
