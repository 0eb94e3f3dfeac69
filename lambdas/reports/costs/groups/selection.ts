/** Chooses the groups that a report lists, and their order. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { readChoice, readInteger, readText } from '#lambdas/platform/http/query.ts';
import { compareUsd } from '#lambdas/platform/money.ts';
import type { CostGroups, GroupValue } from './group-list.ts';
import { errorCodeMeasure, type GroupOrder, groupOrders, type Measure, measures } from './order.ts';

export interface GroupSelection {
  /** `null` for error codes by default: by all requests with the error, also rejected ones. */
  order: GroupOrder | null;
  isAscending: boolean;
  /** Lists only groups whose value contains this text in any case; `null` for all. */
  search: string | null;
  limit: number;
}

export const selectionNames = ['limit', 'order_by', 'order', 'search'] as const;

type SelectionParameters = Partial<Record<(typeof selectionNames)[number], string>>;

const defaultLimit = 100;
const maxLimit = 1000;

export const defaultSelection: GroupSelection = {
  order: 'cost_usd',
  isAscending: false,
  search: null,
  limit: defaultLimit,
};

/** Throws a `GatewayError` (400) that names the invalid parameter. */
export function readSelection(parameters: SelectionParameters, groupBy: string | null): GroupSelection {
  const { limit, order_by, order, search } = parameters;
  const name = selectionNames.find((each) => parameters[each] !== undefined);
  if (name !== undefined && groupBy === null)
    throw invalidRequestError(name, `${name} requires group_by: add group_by, or omit ${name}`);
  const defaultOrder = groupBy === 'error_code' ? null : defaultSelection.order;
  return {
    order: order_by === undefined ? defaultOrder : readChoice('order_by', order_by, groupOrders),
    isAscending: order !== undefined && readChoice('order', order, ['asc', 'desc']) === 'asc',
    search: search === undefined ? null : readText('search', search),
    limit: limit === undefined ? defaultLimit : readInteger('limit', limit, { min: 1, max: maxLimit }),
  };
}

/** Equal costs are in the order of the number of requests. Other ties are resolved alphabetically. */
export function topGroups(groups: CostGroups, selection: GroupSelection): GroupValue[] {
  const { order, isAscending, limit } = selection;
  const measure: Measure = order === null ? errorCodeMeasure : measures[order];
  const text = selection.search?.toLowerCase() ?? null;
  return [...groups]
    .filter(([value]) => text === null || value?.toLowerCase().includes(text))
    .map(([value, totals]) => ({ value, measured: measure(totals), requests: totals.requests }))
    .sort(
      (one, other) =>
        compareMeasured(one.measured, other.measured, isAscending) ||
        (order === 'cost_usd' ? other.requests - one.requests : 0) ||
        compareValues(one.value, other.value),
    )
    .slice(0, limit)
    .map(({ value }) => value);
}

type Measured = ReturnType<Measure>;

function compareMeasured(one: Measured, other: Measured, isAscending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const isNumber = typeof one === 'number' && typeof other === 'number';
  const difference = isNumber ? one - other : compareUsd(String(one), String(other));
  return isAscending ? difference : -difference;
}

function compareValues(one: GroupValue, other: GroupValue): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : Number(one > other);
}
