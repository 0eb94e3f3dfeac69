/** Figures of requests as comma-separated values, with exact amounts. */

import { saveCsv } from '#dashboard/api/download.ts';
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
  fallback_attempts: ({ fallback_attempts }) => fallback_attempts,
  mean_latency_ms: ({ mean_latency_ms }) => mean_latency_ms,
  mean_overhead_ms: ({ mean_overhead_ms }) => mean_overhead_ms,
  latency_p50_ms: ({ latency_ms }) => latency_ms?.p50 ?? null,
  latency_p95_ms: ({ latency_ms }) => latency_ms?.p95 ?? null,
  latency_p99_ms: ({ latency_ms }) => latency_ms?.p99 ?? null,
  time_to_first_token_p50_ms: (totals) => totals.time_to_first_token_ms?.p50 ?? null,
  time_to_first_token_p95_ms: (totals) => totals.time_to_first_token_ms?.p95 ?? null,
  time_to_first_token_p99_ms: (totals) => totals.time_to_first_token_ms?.p99 ?? null,
};

export const figureNames = Object.keys(figures);

export function figuresOf(totals: CostTotals): CsvValue[] {
  return Object.values(figures).map((read) => read(totals));
}

/** A line for each listed group in its order, and one for the others, whose `is_other` is true. */
export function groupsCsv(report: CostReport): string {
  const { group_by: group, window, time_zone: timeZone } = report;
  const range = [window.start, window.end, timeZone];
  const names = ['start', 'end', 'time_zone', 'is_other', group === null ? 'group' : filterOfGroup[group]];
  const groups = report.groups.map(({ value, totals }) => [...range, false, value, ...figuresOf(totals)]);
  const other = report.other ? [[...range, true, null, ...figuresOf(report.other.totals)]] : [];
  return [[...names, ...figureNames], ...groups, ...other].map((line) => csvLine(line)).join('');
}

/** Returns text such as "prompts-2026-10-24-to-2026-11-23.csv": the first and the last day. */
export function groupsFileName({ window, time_zone: timeZone }: CostReport, name: string, now: Date): string {
  const endMs = window.end === null ? now.getTime() : Date.parse(window.end) - 1;
  const last = localDate(new Date(endMs), timeZone);
  const first = window.start === null ? null : localDate(new Date(window.start), timeZone);
  return `${name}-${first === null ? 'until' : `${first}-to`}-${last}.csv`;
}

export function saveGroups(report: CostReport, name: string): void {
  saveCsv(groupsCsv(report), groupsFileName(report, name, new Date()));
}
