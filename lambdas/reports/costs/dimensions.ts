/** The fields by which costs can be grouped and filtered, and the dimensions of the rollups that answer such queries. */

import { type Dimension, periodsOf, totalsDimension } from '#lambdas/costs/rollups/rollup.ts';

/** The values of `group_by`, each with the response field that has the group's value. */
export const groupFields = {
  model: 'model',
  provider: 'provider',
  operation: 'operation',
  prompt_id: 'prompt_id',
  session_id: 'session_id',
  user_id: 'user_id',
  api_key: 'api_key_id',
  error_code: 'error_code',
} as const;

export type GroupBy = keyof typeof groupFields;

/** The fields by which rows of every dimension are grouped, so that these groups need no rows of their own. */
const rowGroups = ['model', 'provider', 'operation'] as const satisfies readonly GroupBy[];

export function isRowGroup(groupBy: GroupBy): groupBy is (typeof rowGroups)[number] {
  return rowGroups.some((group) => group === groupBy);
}

/** The query parameters that select one value of a dimension. */
export const valueParameters = {
  api_key_id: 'api_key',
  prompt_id: 'prompt_id',
  session_id: 'session_id',
  user_id: 'user_id',
  error_code: 'error_code',
} as const satisfies Record<string, Dimension>;

export type ValueParameter = keyof typeof valueParameters;

/** Limits a query to the requests with this value. */
export interface ValueFilter {
  parameter: ValueParameter;
  value: string;
}

/** The shortest period for which there are sums. */
export type FinestPeriod = 'minute' | 'hour';

export interface QueryDimensions {
  /** The dimension from which the totals are read. It counts every request of the query once. */
  totals: Dimension;
  groups: Dimension;
  finestPeriod: FinestPeriod;
}

export function dimensionsOf(groupBy: GroupBy | null, filter: ValueFilter | null): QueryDimensions {
  const groups: Dimension = groupBy === null || isRowGroup(groupBy) ? totalsDimension : groupBy;
  const filtered = filter === null ? null : valueParameters[filter.parameter];
  const dimension = filtered ?? groups;
  return {
    // Every request has an API key, so the rows by key are complete totals too.
    totals: dimension === 'api_key' ? dimension : (filtered ?? totalsDimension),
    groups: dimension,
    finestPeriod: periodsOf(dimension).includes('minute') ? 'minute' : 'hour',
  };
}
