/** The metrics of requests: how each is read from the totals of a report, drawn and written. */

import {
  formatColumnDuration,
  formatCompact,
  formatCompactUsd,
  formatCount,
  formatDuration,
  formatRoundDuration,
  formatRoundShare,
  formatShare,
} from '#dashboard/components/values/number-format.ts';
import { approximately, formatUsd } from '#dashboard/components/values/usd-format.ts';
import type { CostTotals, GroupBy } from '#lambdas/accounts/analytics/responses.ts';
import { meanUsd } from '#lambdas/platform/money.ts';
import { isCertain } from './uncertainty.ts';

type Percentiles = NonNullable<CostTotals['latency_ms']>;

export interface Metric {
  title: string;
  /** Whether the values of groups add up to that of all, so that bars can be stacked. */
  isSum: boolean;
  /** Whether the values are milliseconds. */
  isDuration?: boolean;
  /** Only to draw and compare; `null` without data. */
  valueOf: (totals: CostTotals) => number | null;
  /** The figure as shown. */
  textOf: (totals: CostTotals) => string;
  /** The value on an axis, in the locale of the browser by default. */
  formatAxis: (value: number, locale?: Intl.LocalesArgument) => string;
  /** The figure in a column, where all have the unit of the longest; only of durations. */
  textAmong?: (totals: CostTotals, column: readonly CostTotals[]) => string;
}

const usdMetric = (
  title: string,
  isSum: boolean,
  amountOf: (totals: CostTotals) => string | null,
): Metric => ({
  title,
  isSum,
  valueOf: (totals) => toNumber(amountOf(totals)),
  textOf: (totals) =>
    textOr(amountOf(totals), (amount) => `${isCertain(totals) ? '' : approximately}${formatUsd(amount)}`),
  formatAxis: formatCompactUsd,
});

const countMetric = (title: string, countOf: (totals: CostTotals) => number): Metric => ({
  title,
  isSum: true,
  valueOf: countOf,
  textOf: (totals) => formatCount(countOf(totals)),
  formatAxis: formatCompact,
});

const shareMetric = (title: string, shareOf: (totals: CostTotals) => number | null): Metric => ({
  title,
  isSum: false,
  valueOf: shareOf,
  textOf: (totals) => textOr(shareOf(totals), formatShare),
  formatAxis: formatRoundShare,
});

const durationMetric = (title: string, durationOf: (totals: CostTotals) => number | null): Metric => ({
  title,
  isSum: false,
  isDuration: true,
  valueOf: durationOf,
  textOf: (totals) => textOr(durationOf(totals), formatDuration),
  textAmong: (totals, column) =>
    textOr(durationOf(totals), (duration) => formatColumnDuration(duration, maxOf(column, durationOf))),
  formatAxis: formatRoundDuration,
});

/** Marked unless it is exact: percentiles of many requests come from histograms. */
const percentileMetric = (
  title: string,
  percentilesOf: (totals: CostTotals) => Percentiles | null,
  name: 'p50' | 'p95' | 'p99',
): Metric => ({
  ...durationMetric(title, (totals) => percentilesOf(totals)?.[name] ?? null),
  textOf: (totals) =>
    textOr(
      percentilesOf(totals),
      ({ exact, [name]: value }) => `${exact ? '' : approximately}${formatDuration(value)}`,
    ),
  textAmong: (totals, column) =>
    textOr(percentilesOf(totals), ({ exact, [name]: value }) => {
      const max = maxOf(column, (each) => percentilesOf(each)?.[name] ?? null);
      return `${exact ? '' : approximately}${formatColumnDuration(value, max)}`;
    }),
});

function maxOf(column: readonly CostTotals[], durationOf: (totals: CostTotals) => number | null): number {
  return column.reduce((max, totals) => Math.max(max, durationOf(totals) ?? 0), 0);
}

const latency = ({ latency_ms }: CostTotals) => latency_ms;
const firstToken = ({ time_to_first_token_ms }: CostTotals) => time_to_first_token_ms;

/**
 * Explains the mark of a percentile.
 *
 * @param maxError relative: 0.19 is 19 %
 */
export function percentileErrorText(maxError: number, locale?: Intl.LocalesArgument): string {
  return `a percentile of many requests, which is at most ${formatRoundShare(maxError, locale)} off.`;
}

export const metrics = {
  cost: usdMetric('Spend', true, ({ cost_usd }) => cost_usd),
  requests: countMetric('Requests', ({ requests }) => requests),
  tokens: countMetric('Tokens', ({ input_tokens, output_tokens }) => input_tokens + output_tokens),
  input_tokens: countMetric('Input tokens', ({ input_tokens }) => input_tokens),
  output_tokens: countMetric('Output tokens', ({ output_tokens }) => output_tokens),
  errors: countMetric('Errors', ({ error_requests }) => error_requests),
  /** In no other figure. */
  rejected: {
    ...countMetric('Rejected requests', ({ rejected_requests }) => rejected_requests ?? 0),
    textOf: ({ rejected_requests }) => textOr(rejected_requests, formatCount),
  },
  mean_cost: usdMetric('Cost per request', false, meanCostOf),
  error_rate: shareMetric('Error rate', ({ error_requests, requests }) => ratio(error_requests, requests)),
  cached_share: shareMetric('Cached input', ({ cached_input_tokens, input_tokens }) =>
    ratio(cached_input_tokens, input_tokens),
  ),
  latency_p50: percentileMetric('Latency median', latency, 'p50'),
  latency_p95: percentileMetric('Latency p95', latency, 'p95'),
  latency_p99: percentileMetric('Latency p99', latency, 'p99'),
  first_token_p50: percentileMetric('First token median', firstToken, 'p50'),
  first_token_p95: percentileMetric('First token p95', firstToken, 'p95'),
  mean_latency: durationMetric('Mean latency', ({ mean_latency_ms }) => mean_latency_ms),
  mean_overhead: durationMetric('Mean gateway overhead', ({ mean_overhead_ms }) => mean_overhead_ms),
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;

export const metricNames = Object.keys(metrics) as MetricName[];

export function isMetricName(name: unknown): name is MetricName {
  return typeof name === 'string' && Object.hasOwn(metrics, name);
}

/** Returns the mean of the requests with a known price; `null` without any. Those without one would pull it to zero. */
export function meanCostOf({ cost_usd, requests, unpriced_requests }: CostTotals): string | null {
  const priced = requests - unpriced_requests;
  return priced > 0 ? meanUsd(cost_usd, priced) : null;
}

const percentileMetrics: readonly MetricName[] = [
  'latency_p50',
  'latency_p95',
  'latency_p99',
  'first_token_p50',
  'first_token_p95',
];

const groupsWithoutPercentiles: readonly GroupBy[] = ['user_id', 'session_id', 'route', 'error_code'];

/** Groups by what is unknown of requests that were rejected. */
const groupsWithoutRejected: readonly GroupBy[] = ['model', 'provider', 'prompt_id', 'session_id', 'user_id'];

/** Returns why the groups do not have the metric; `null` if they have it. Also for filters by one value. */
export function unavailableReason(metric: MetricName, group: GroupBy | null): string | null {
  if (metric === 'rejected')
    return group !== null && groupsWithoutRejected.includes(group) ? rejectedReason : null;
  if (group === null || !percentileMetrics.includes(metric) || !groupsWithoutPercentiles.includes(group))
    return null;
  return 'Percentiles exist by model, provider, operation, key and prompt, not by user, session, route or error code';
}

export const rejectedReason = 'Rejected requests are counted by key, route, operation and error code only';

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function toNumber(amount: string | null): number | null {
  return amount === null ? null : Number(amount);
}

function textOr<Value>(value: Value | null, format: (value: Value) => string): string {
  return value === null ? '–' : format(value);
}
