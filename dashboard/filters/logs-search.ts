/** The link of the logs view: its range, filters and order, and whether it follows new requests. */
import { parseRangeSearch, type RangeSearch } from '#dashboard/range/range.ts';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { type FilterName, type FilterValues, filterNames, isFilterValue } from './fields.ts';
import { type FigureBounds, type FigureName, isFigureName, parseFigureBounds } from './figures.ts';

/** The conditions on requests that a link has besides its range. */
export type Conditions = FilterValues & FigureBounds;

/** The filters by an id, which at most a few requests have. */
export const idFilterNames: readonly FilterName[] = ['response_id', 'provider_request_id'];

export function hasIdFilter(conditions: Conditions): boolean {
  return idFilterNames.some((name) => name in conditions);
}

export interface LogsOrder {
  /** By time if it is missing. */
  sort?: FigureName;
  /** The highest or newest first if it is missing. */
  order?: 'asc';
}

export interface LogsSearch extends RangeSearch, FilterValues, FigureBounds, LogsOrder {
  /** Only for a list whose first request is the newest of all. */
  live?: '1';
}

/** Ignores what is not valid. */
export function parseLogsSearch(search: Record<string, unknown>): LogsSearch {
  const range = parseRangeSearch(search);
  const order = parseOrder(search);
  const isLive = search.live === '1' && mayFollow({ ...range, ...order });
  return { ...range, ...parseConditions(search), ...order, live: isLive ? '1' : undefined };
}

/** Returns the link of the requests that a budget has refused in its present period, which is one of UTC. */
export function refusedSearch({
  period,
  api_key_id: keyId,
}: Pick<BudgetSummary, 'period' | 'api_key_id'>): LogsSearch {
  return {
    range: period === 'day' ? 'today' : 'month',
    time_zone: 'UTC',
    outcome: 'rejected',
    error_code: 'insufficient_quota',
    api_key_id: keyId ?? undefined,
  };
}

/** Returns the conditions of a link, without those that are not valid. */
export function parseConditions(search: Record<string, unknown>): Conditions {
  const filters: FilterValues = {};
  for (const name of filterNames) {
    const value = search[name];
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && isFilterValue(name, text)) filters[name] = text;
  }
  return { ...filters, ...parseFigureBounds(search) };
}

export function parseOrder({ sort, order }: Record<string, unknown>): LogsOrder {
  return { sort: isFigureName(sort) ? sort : undefined, order: order === 'asc' ? 'asc' : undefined };
}

/** Whether new requests belong to the top of the list. */
export function mayFollow({ sort, order, ...range }: RangeSearch & LogsOrder): boolean {
  return sort === undefined && order === undefined && isOpen(range);
}

/** Whether the range reaches the present. */
function isOpen({ range, start, end }: RangeSearch): boolean {
  return start === undefined
    ? range !== 'yesterday' && range !== 'last-week' && range !== 'last-month'
    : end === undefined;
}
