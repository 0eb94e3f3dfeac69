import { type Metric, metrics } from '#dashboard/metrics/metrics.ts';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { allRequestsId, type ChartSeries, type Colour } from './chart.ts';

export interface GroupLook {
  name: (value: string | null) => string;
  colour: (value: string | null, index: number) => Colour;
}

const otherId = 'other';
export const rejectedId = 'rejected';
const valuePrefix = '=';

/**
 * The series of a chart from a report with an interval: one for each group, the most expensive first, and the rest, or one
 * for all requests, with the rejected ones in another. None without requests. Their values are in the order of `report.series`.
 */
export function reportSeries(report: CostReport, metric: Metric, look: GroupLook): ChartSeries[] {
  if (isEmpty(report.totals)) return [];
  if (report.group_by === null) {
    const totals = report.series.map((period) => period.totals);
    const all = { id: allRequestsId, name: 'All requests', colour: 0, ...figures(totals, metric) };
    if (metric !== metrics.requests || !report.totals.rejected_requests) return [all];
    // They are in no other figure.
    const rejected = { name: 'Rejected', colour: 'error' as const, ...figures(totals, metrics.rejected) };
    return [
      { ...all, id: 'served', name: 'Served' },
      { id: rejectedId, ...rejected },
    ];
  }
  const periods = report.series.map(
    ({ groups }) => new Map(groups.map(({ value, totals }) => [value, totals])),
  );
  const series = report.groups.map(({ value }, index) => ({
    id: seriesIdOf(value),
    name: look.name(value),
    colour: look.colour(value, index),
    ...figures(
      periods.map((totalsOf) => totalsOf.get(value)),
      metric,
    ),
  }));
  if (report.other === null) return series;
  const others = report.series.map(({ other }) => other?.totals);
  const name = `Other (${report.other.groups})`;
  return [...series, { id: otherId, name, colour: 'other', ...figures(others, metric) }];
}

/** The figures of all requests of each period, for `ChartProps.totals`. */
export function reportTotals(report: CostReport, metric: Metric): string[] {
  return report.series.map(({ totals }) => metric.textOf(totals));
}

/** Returns the group of a series; `null` for all requests and for the rest. */
export function groupOf(seriesId: string | null): { value: string | null } | null {
  if (seriesId === seriesIdOf(null)) return { value: null };
  return seriesId?.startsWith(valuePrefix) ? { value: seriesId.slice(valuePrefix.length) } : null;
}

function seriesIdOf(value: string | null): string {
  return value === null ? 'none' : `${valuePrefix}${value}`;
}

/** A provider that is not the last target of any request has attempts alone. */
function isEmpty({
  requests,
  rejected_requests: rejected,
  fallback_attempts: attempts,
}: CostTotals): boolean {
  return requests + (rejected ?? 0) + attempts === 0;
}

/** The totals of a group in a period without requests: sums are zero, and all other figures are missing. */
const noRequests: CostTotals = {
  requests: 0,
  cost_usd: '0',
  mean_cost_usd: null,
  input_tokens: 0,
  output_tokens: 0,
  cached_input_tokens: 0,
  cache_write_input_tokens: 0,
  reasoning_tokens: 0,
  unpriced_requests: 0,
  assumed_requests: 0,
  assumed_cost_usd: '0',
  estimated_requests: 0,
  estimated_cost_usd: '0',
  uncertain_cost_share: null,
  error_requests: 0,
  provider_error_requests: 0,
  timeout_requests: 0,
  interrupted_requests: 0,
  client_closed_requests: 0,
  rejected_requests: 0,
  fallback_attempts: 0,
  mean_latency_ms: null,
  mean_overhead_ms: null,
  latency_ms: null,
  time_to_first_token_ms: null,
};

function figures(periods: readonly (CostTotals | undefined)[], metric: Metric) {
  const totals = periods.map((found) => found ?? noRequests);
  return { values: totals.map(metric.valueOf), texts: totals.map(metric.textOf) };
}
