/** The JSON of `GET /api/costs`. */
import { maxPercentileError } from '#lambdas/costs/rollups/histogram.ts';
import { errorRequestsOf, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { type Usd, usdJson } from '#lambdas/platform/money.ts';
import { uncertainShare } from '#lambdas/request-log/uncertainty.ts';
import type { GroupList } from './groups/group-list.ts';
import { firstTokenOf, latencyOf, meanMs } from './groups/order.ts';
import { type GroupBy, groupFields } from './query.ts';
import type { CostSummary, SummaryWindow } from './summary.ts';

export function costSummaryJson(summary: CostSummary) {
  const { byModel, window, completeUntil, timeZone, grouping, series, previous } = summary;
  const toJsonOf = (kind: keyof CostSummary['countsRejected']) => (totals: Totals) =>
    totalsJson(totals, { countsRejected: summary.countsRejected[kind], usd: usdJson });
  const [toJson, groupJson, modelJson] = [toJsonOf('totals'), toJsonOf('groups'), toJsonOf('byModel')];
  return {
    ...summaryTotalsJson(toJson(summary.totals)),
    by_model: Object.fromEntries(
      Object.entries(byModel).map(([model, totals]) => [model, modelJson(totals)]),
    ),
    window: windowJson(window),
    time_zone: timeZone,
    complete_until: completeUntil,
    max_percentile_error: maxPercentileError,
    ...(grouping !== null && { group_by: grouping.by, ...groupsJson(grouping, grouping.by, groupJson) }),
    ...(series !== null && {
      interval: series.interval,
      series: series.elements.map(({ start, end, totals, groups }) => ({
        start,
        end,
        ...toJson(totals),
        ...(groups !== null && grouping !== null && groupsJson(groups, grouping.by, groupJson)),
      })),
    }),
    ...(previous !== null && {
      previous: {
        window: windowJson(previous.window),
        days: daysJson(previous),
        ...summaryTotalsJson(toJson(previous.totals)),
        ...(grouping !== null &&
          previous.groups !== null &&
          groupsJson(previous.groups, grouping.by, groupJson)),
      },
    }),
  };
}

interface TotalsFormat<Amount> {
  /** `rejected_requests` is `null` otherwise. */
  countsRejected: boolean;
  /** Writes an amount of money. */
  usd(amount: Usd): Amount;
}

export function totalsJson<Amount>(totals: Totals, { countsRejected, usd }: TotalsFormat<Amount>) {
  return {
    requests: totals.requests,
    cost_usd: usd(totals.cost_usd),
    input_tokens: totals.input_tokens,
    output_tokens: totals.output_tokens,
    cached_input_tokens: totals.cached_input_tokens,
    cache_write_input_tokens: totals.cache_write_input_tokens,
    reasoning_tokens: totals.reasoning_tokens,
    unpriced_requests: totals.unpriced_requests,
    assumed_requests: totals.assumed_requests,
    assumed_cost_usd: usd(totals.assumed_cost_usd),
    estimated_requests: totals.estimated_requests,
    estimated_cost_usd: usd(totals.estimated_cost_usd),
    uncertain_cost_share: uncertainShare(totals),
    error_requests: errorRequestsOf(totals),
    provider_error_requests: totals.provider_error_requests,
    timeout_requests: totals.timeout_requests,
    interrupted_requests: totals.interrupted_requests,
    client_closed_requests: totals.client_closed_requests,
    rejected_requests: countsRejected ? totals.rejected_requests : null,
    fallback_attempts: totals.fallback_attempts,
    mean_latency_ms: roundedMeanMs(totals.latency_ms, totals),
    mean_overhead_ms: roundedMeanMs(totals.overhead_ms, totals),
    latency_ms: latencyOf(totals),
    time_to_first_token_ms: firstTokenOf(totals),
  };
}

type TotalsJson = ReturnType<typeof totalsJson<unknown>>;

/** The totals of the summary have names of their own for four fields. */
function summaryTotalsJson({ requests, cost_usd, input_tokens, output_tokens, ...others }: TotalsJson) {
  return {
    total_requests: requests,
    total_cost_usd: cost_usd,
    total_input_tokens: input_tokens,
    total_output_tokens: output_tokens,
    ...others,
  };
}

/** To two decimals. */
function roundedMeanMs(sumMs: number, totals: Totals): number | null {
  const mean = meanMs(sumMs, totals);
  return mean === null ? null : Math.round(mean * 100) / 100;
}

export function windowJson({ start, end, roundedTo }: SummaryWindow) {
  return { start, end, rounded_to: roundedTo };
}

export function daysJson({ days }: NonNullable<CostSummary['previous']>) {
  return days && { with_requests: days.withRequests, total: days.total };
}

function groupsJson({ groups, other }: GroupList, groupBy: GroupBy, toJson: (totals: Totals) => TotalsJson) {
  return {
    groups: groups.map(({ value, totals }) => ({ [groupFields[groupBy]]: value, ...toJson(totals) })),
    other: other === null ? null : { groups: other.groups, ...toJson(other.totals) },
  };
}
