/** The filters of costs, which links contain by the names of the API. */
import type { Filters } from '#dashboard/api/analytics.ts';
import type { GroupBy } from '#lambdas/accounts/analytics/responses.ts';
import { isFilterValue } from './fields.ts';

type CostFilterName = keyof Filters;

/** At most one of these can be set, since sums exist for each alone. */
const valueFilterNames = [
  'api_key_id',
  'prompt_id',
  'session_id',
  'user_id',
  'route',
  'error_code',
] as const satisfies readonly CostFilterName[];

export type ValueFilterName = (typeof valueFilterNames)[number];

export const costFilterNames = [
  'model',
  'provider',
  'operation',
  'service_tier',
  ...valueFilterNames,
] as const satisfies readonly CostFilterName[];

export function isCostFilterName(name: string): name is CostFilterName {
  return costFilterNames.some((known) => known === name);
}

/** The filter by a group of each kind. */
export const filterOfGroup = {
  model: 'model',
  provider: 'provider',
  operation: 'operation',
  api_key: 'api_key_id',
  prompt_id: 'prompt_id',
  session_id: 'session_id',
  user_id: 'user_id',
  route: 'route',
  error_code: 'error_code',
} as const satisfies Record<GroupBy, CostFilterName>;

/** The kind of group by which a filter selects. */
export const groupOfFilter: Record<ValueFilterName, GroupBy> = {
  api_key_id: 'api_key',
  prompt_id: 'prompt_id',
  session_id: 'session_id',
  user_id: 'user_id',
  route: 'route',
  error_code: 'error_code',
};

/** Ignores what is not valid, and all but one of the filters that exclude each other. */
export function parseCostFilters(search: Record<string, unknown>): Filters {
  const texts = costFilterNames.filter((name) => {
    const value = search[name];
    return typeof value === 'string' && isFilterValue(name, value);
  });
  const valueName = valueFilterNames.find((name) => texts.includes(name));
  return Object.fromEntries(
    texts.filter((name) => !isValueFilter(name) || name === valueName).map((name) => [name, search[name]]),
  );
}

export function isValueFilter(name: CostFilterName): name is ValueFilterName {
  return valueFilterNames.some((valueName) => valueName === name);
}

export function valueFilterOf(filters: Filters): ValueFilterName | null {
  return valueFilterNames.find((name) => filters[name] !== undefined) ?? null;
}

/** Replaces a filter that excludes the new one. */
export function withFilter(filters: Filters, name: CostFilterName, value: string): Filters {
  const valueName = valueFilterOf(filters);
  const replaced = isValueFilter(name) && valueName !== null ? { [valueName]: undefined } : {};
  return { ...filters, ...replaced, [name]: value };
}
