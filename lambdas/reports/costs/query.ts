/** Parses the query of `GET /api/costs`: what is summed, by which field, of which requests and when. */

import { type Dimension, hasHistograms, periodsOf, totalsDimension } from '#lambdas/costs/rollups/rollup.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import {
  type RawQueryParameters,
  readChoice,
  readQueryParameters,
  readText,
} from '#lambdas/platform/http/query.ts';
import { parseTimeWindow, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { type OperationName, operations } from '#lambdas/request-log/operation.ts';
import { type ModelFilter, modelFilters } from '../model-filter.ts';
import { type Calendar, createCalendar } from './calendar.ts';
import { isPercentile } from './groups/order.ts';
import { defaultSelection, type GroupSelection, readSelection, selectionNames } from './groups/selection.ts';
import { type FinestPeriod, plainWindow, type QueryWindow, resolveWindow } from './window.ts';

export interface CostQuery extends QueryWindow {
  /** A request is included when any of these matches. */
  filters: ModelFilter[];
  /** `null` for all requests. */
  serviceTier: string | null;
  /** `null` for all requests. */
  operation: OperationName | null;
  valueFilter: ValueFilter | null;
  groupBy: GroupBy | null;
  /** The groups to list. */
  selection: GroupSelection;
  dimensions: QueryDimensions;
  timeZone: string;
  /** Divides the rows of totals by days that begin at the full hour, if there is no series; `null` if not. */
  days: Calendar | null;
}

/** The values of `group_by`, each with the response field that has the group's value. */
export const groupFields = {
  model: 'model',
  provider: 'provider',
  operation: 'operation',
  prompt_id: 'prompt_id',
  session_id: 'session_id',
  user_id: 'user_id',
  route: 'route',
  api_key: 'api_key_id',
  error_code: 'error_code',
} as const;

export type GroupBy = keyof typeof groupFields;

/** The fields by which rows of every dimension are grouped, so that these groups need no rows of their own. */
const rowGroups = ['model', 'provider', 'operation'] as const satisfies readonly GroupBy[];

function isRowGroup(groupBy: GroupBy): groupBy is (typeof rowGroups)[number] {
  return rowGroups.some((group) => group === groupBy);
}

/** The query parameters that select one value of a dimension. */
const valueParameters = {
  api_key_id: 'api_key',
  prompt_id: 'prompt_id',
  session_id: 'session_id',
  user_id: 'user_id',
  route: 'route',
  error_code: 'error_code',
} as const satisfies Record<string, Dimension>;

type ValueParameter = keyof typeof valueParameters;
const valueParameterNames = Object.keys(valueParameters) as ValueParameter[];

/** Limits a query to the requests with this value. */
interface ValueFilter {
  parameter: ValueParameter;
  value: string;
}

interface QueryDimensions {
  /** The dimension from which the totals are read. It counts every request of the query once. */
  totals: Dimension;
  groups: Dimension;
  finestPeriod: FinestPeriod;
}

function dimensionsOf(groupBy: GroupBy | null, filter: ValueFilter | null): QueryDimensions {
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

const filterNames = ['model', 'provider', 'service_tier', 'operation', ...valueParameterNames] as const;
const timeNames = [
  'start',
  'end',
  'interval',
  'time_zone',
  'compare',
  'compare_start',
  'compare_end',
] as const;
const parameterNames = [...timeNames, 'group_by', ...selectionNames, ...filterNames] as const;

type Parameters = Partial<Record<(typeof parameterNames)[number], string>>;

/** A query for the totals of all requests in the window. */
export function totalsQuery(window: TimeWindow): CostQuery {
  return {
    ...plainWindow(window),
    filters: modelFilters(),
    serviceTier: null,
    operation: null,
    valueFilter: null,
    groupBy: null,
    selection: defaultSelection,
    dimensions: dimensionsOf(null, null),
    timeZone: 'UTC',
    days: null,
  };
}

/** Parses the query of `GET /api/costs`. Throws a `GatewayError` (400) that names the invalid parameter. */
export function parseCostQuery(raw: RawQueryParameters, now: Date): CostQuery {
  const parameters: Parameters = readQueryParameters(raw, parameterNames);
  const { model, provider, service_tier, operation, group_by, time_zone } = parameters;
  const groupBy =
    group_by === undefined ? null : readChoice('group_by', group_by, Object.keys(groupFields) as GroupBy[]);
  const valueFilter = readValueFilter(parameters, groupBy);
  const calendar = createCalendar(time_zone ?? 'UTC');
  const window = parseTimeWindow(parameters);
  const dimensions = dimensionsOf(groupBy, valueFilter);
  const source = valueFilter?.parameter ?? `group_by=${groupBy}`;
  const query: CostQuery = {
    filters: modelFilters(model, provider),
    serviceTier: service_tier === undefined ? null : readText('service_tier', service_tier),
    operation: operation === undefined ? null : readChoice('operation', operation, operations),
    valueFilter,
    groupBy,
    selection: readSelection(parameters, groupBy),
    dimensions,
    timeZone: time_zone ?? 'UTC',
    days: null,
    ...resolveWindow(window, parameters, {
      calendar,
      finestPeriod: dimensions.finestPeriod,
      selection: source,
      now,
    }),
  };
  assertOrderExists(query, source);
  return query;
}

/** Throws a `GatewayError` (400) for an order by a figure that the groups do not have. */
function assertOrderExists(query: CostQuery, source: string): void {
  const { groupBy, selection, dimensions, serviceTier } = query;
  const { order } = selection;
  if (order === null || groupBy === null) return;
  const isKnown = order !== 'rejected_requests' || countsRejected(query).groups;
  if (isKnown && (!isPercentile(order) || hasHistograms(dimensions.groups))) return;
  // The filter, if rejected requests are known by the group alone.
  const isKnownByGroup = countsRejected({ ...query, filters: [{}], serviceTier: null }).groups;
  const filter = serviceTier === null ? 'a filter by model or provider' : 'service_tier';
  const reason = !isKnown && isKnownByGroup ? filter : source;
  throw invalidRequestError(
    'order_by',
    `order_by=${order} cannot be combined with ${reason}: these groups have no such figure`,
  );
}

/** Only the operation, key, route and error code of a rejected request are known. Rows by error code also have the names that it requested. */
export function countsRejected({
  filters,
  serviceTier,
  valueFilter,
  groupBy,
  dimensions,
}: CostQuery): Record<'totals' | 'groups' | 'byModel', boolean> {
  const isByCode = dimensions.groups === 'error_code';
  const isOfModel = filters.some(({ model, provider }) => model !== undefined || provider !== undefined);
  const isOfValue = !['api_key_id', 'route', undefined].includes(valueFilter?.parameter);
  const totals = serviceTier === null && (isByCode || !(isOfModel || isOfValue));
  return {
    totals,
    groups: totals && (isByCode || groupBy === 'api_key' || groupBy === 'route' || groupBy === 'operation'),
    byModel: totals && isByCode && valueFilter !== null,
  };
}

function readValueFilter(parameters: Parameters, groupBy: GroupBy | null): ValueFilter | null {
  const [parameter, other] = valueParameterNames.filter((name) => parameters[name] !== undefined);
  if (parameter === undefined) return null;
  if (other !== undefined) {
    throw invalidRequestError(other, `${other} cannot be combined with ${parameter}: remove one of them`);
  }
  if (groupBy !== null && !isRowGroup(groupBy)) {
    throw invalidRequestError(
      'group_by',
      `group_by=${groupBy} cannot be combined with ${parameter}: group by model, provider or operation, or remove ${parameter}`,
    );
  }
  return { parameter, value: readText(parameter, parameters[parameter] ?? '') };
}
