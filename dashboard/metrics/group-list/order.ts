/** The part of a link that says which groups a list has, and in which order. */
import type { CostParameters } from '#dashboard/api/analytics.ts';
import { isMetricName, type MetricName } from '../metrics.ts';

/** The metrics by which the API sorts groups, by its names. */
const orders = {
  cost: 'cost_usd',
  requests: 'requests',
  rejected: 'rejected_requests',
  tokens: 'tokens',
  errors: 'errors',
  error_rate: 'error_rate',
  mean_cost: 'mean_cost_usd',
  mean_latency: 'mean_latency_ms',
  latency_p50: 'latency_p50',
  latency_p95: 'latency_p95',
  latency_p99: 'latency_p99',
  first_token_p50: 'time_to_first_token_p50',
  first_token_p95: 'time_to_first_token_p95',
} as const satisfies Partial<Record<MetricName, string>>;

type SortedMetric = keyof typeof orders;

export interface GroupListSearch {
  /** A part of the group's value. */
  search?: string;
  /** By spend if it is missing. */
  sort?: SortedMetric;
  /** The highest first if it is missing. */
  order?: 'asc';
}

/** A metric that groups cannot be sorted by is none. */
export function isSortedMetric(name: unknown): name is SortedMetric {
  return isMetricName(name) && Object.hasOwn(orders, name);
}

/** The longest value that requests can have. */
const maxSearchCharacters = 256;

/** Ignores what is not valid. */
export function parseGroupList({ search, sort, order }: Record<string, unknown>): GroupListSearch {
  const isText = typeof search === 'string' && search.trim() !== '' && search.length <= maxSearchCharacters;
  return {
    search: isText ? search : undefined,
    sort: isSortedMetric(sort) && sort !== 'cost' ? sort : undefined,
    order: order === 'asc' ? 'asc' : undefined,
  };
}

/** Only what differs from the API's default. */
export function groupListParameters({
  search,
  sort,
  order,
}: GroupListSearch): Pick<CostParameters, 'order_by' | 'order' | 'search'> {
  return { search: search?.trim(), order_by: sort && orders[sort], order };
}

/** The link after a press on the heading of a metric: the other direction if it is the present order. */
export function sortedBy({ sort = 'cost', order }: GroupListSearch, metric: SortedMetric): GroupListSearch {
  return {
    sort: metric === 'cost' ? undefined : metric,
    order: metric === sort && order === undefined ? 'asc' : undefined,
  };
}
