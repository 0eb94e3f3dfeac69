/** The lists of requests to which a figure leads: what the figure is about first, then the slowest, most expensive and failed ones. */

import { formatCount } from '#dashboard/components/values/number-format.ts';
import type { LogsSearch } from '#dashboard/filters/logs-search.ts';
import type { MetricName } from '#dashboard/metrics/metrics.ts';
import type { CostTotals } from '#lambdas/accounts/analytics/responses.ts';

export interface RequestList {
  /** Such as "slowest first", or "3 timeouts". */
  title: string;
  conditions: Pick<LogsSearch, 'sort' | 'outcome'>;
}

const newest: RequestList = { title: 'newest first', conditions: {} };
const costliest: RequestList = { title: 'highest cost first', conditions: { sort: 'cost_usd' } };
const slowest: RequestList = { title: 'slowest first', conditions: { sort: 'latency_ms' } };
const largest: RequestList = { title: 'most tokens first', conditions: { sort: 'total_tokens' } };
const slowestToStart: RequestList = {
  title: 'slowest first token first',
  conditions: { sort: 'time_to_first_token_ms' },
};

type MetricWithOrder = Exclude<MetricName, 'errors' | 'error_rate' | 'rejected'>;

const orders: Record<MetricWithOrder, RequestList> = {
  cost: costliest,
  mean_cost: costliest,
  requests: newest,
  tokens: largest,
  input_tokens: largest,
  output_tokens: largest,
  cached_share: largest,
  latency_p50: slowest,
  latency_p95: slowest,
  latency_p99: slowest,
  mean_latency: slowest,
  first_token_p50: slowestToStart,
  first_token_p95: slowestToStart,
  mean_overhead: newest,
};

/** Returns the list that the metric is about before the others, each of them once. */
export function requestLists(metric: MetricName, totals: CostTotals): [RequestList, ...RequestList[]] {
  const failures = failureLists(totals);
  const rejected = countedList(totals.rejected_requests ?? 0, 'rejected', 'rejected');
  const first = firstList(metric, failures, rejected);
  const others = [newest, slowest, costliest, ...failures, ...rejected];
  return [first, ...others.filter((list) => list !== first)];
}

function firstList(
  metric: MetricName,
  [failed = newest]: readonly RequestList[],
  [rejected = newest]: readonly RequestList[],
): RequestList {
  if (metric === 'errors' || metric === 'error_rate') return failed;
  return metric === 'rejected' ? rejected : orders[metric];
}

/** The kinds of errors that there are, the most frequent first. */
function failureLists(totals: CostTotals): RequestList[] {
  const kinds = [
    { count: totals.provider_error_requests, outcome: 'provider_error', noun: 'provider error' },
    { count: totals.timeout_requests, outcome: 'timeout', noun: 'timeout' },
    { count: totals.interrupted_requests, outcome: 'interrupted', noun: 'interruption' },
  ];
  return kinds
    .sort((one, other) => other.count - one.count)
    .flatMap(({ count, outcome, noun }) => countedList(count, outcome, count === 1 ? noun : `${noun}s`));
}

/** None without requests. */
function countedList(count: number, outcome: string, noun: string): RequestList[] {
  return count === 0 ? [] : [{ title: `${formatCount(count)} ${noun}`, conditions: { outcome } }];
}
