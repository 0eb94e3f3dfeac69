import { invalidRequestError } from '#lambdas/platform/errors.ts';
import {
  type RawQueryParameters,
  readChoice,
  readInteger,
  readQueryParameters,
  readText,
} from '#lambdas/platform/http/query.ts';
import { parseTimeWindow, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { modelFilters } from '#lambdas/reports/model-filter.ts';
import { type LogEntry, type Outcome, outcomes } from '#lambdas/request-log/entry.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import type { IndexedField } from '#lambdas/request-log/table/schema.ts';
import { type ListOrder, rangesWithSorted, readOrder } from './order.ts';
import { type FieldRange, outcomesOutside, rangeParameters, readRanges } from './ranges.ts';

/** Most of these values have many entries, so an index would cost more than it saves. */
export const unindexedFields = [
  'service_tier',
  'operation',
  'route',
  'api_key_id',
  'outcome',
  'finish_reason',
  'response_id',
  'provider_request_id',
] as const;

export type FilterField = IndexedField | (typeof unindexedFields)[number];

/** An entry matches when every property that is set is equal; `error_code` matches as in `matchesErrorCode`. */
export type LogEntryFilter = { [Field in FilterField | 'error_code']?: NonNullable<LogEntry[Field]> };

/** Conditions that are not equalities. An entry matches when it meets all. */
export interface EntryBounds {
  ranges: readonly FieldRange[];
  excludedOutcomes: readonly Outcome[];
  /** The earliest time of the last write, in milliseconds since 1970. */
  writtenSinceMs?: number;
}

export interface LogQuery {
  organizationId: string;
  window: TimeWindow;
  /** Alternatives: an entry is listed when one filter matches. No entry matches more than one, or any when there are none. */
  filters: LogEntryFilter[];
  bounds: EntryBounds;
  order: ListOrder;
  limit: number;
  offset: number;
  /** Unverified, since verification requires the organization's cursor key. */
  cursor: string | undefined;
  /** The organization and all conditions on entries. A cursor is valid only for the scope that it was created in. */
  scope: string;
}

const defaultLimit = 100;
const maxLimit = 1000;
const maxOffset = 10_000;

const textParameters = [
  'model',
  'provider',
  'service_tier',
  'prompt_id',
  'session_id',
  'user_id',
  'route',
  'api_key_id',
  'outcome',
  'error_code',
  'finish_reason',
  'response_id',
  'provider_request_id',
] as const satisfies (keyof LogEntryFilter)[];
const parameterNames = [
  'start',
  'end',
  ...textParameters,
  'operation',
  'status',
  ...rangeParameters,
  'sort',
  'order',
  'limit',
  'offset',
  'cursor',
] as const;

/** Conditions as requested: no entry has an outcome that is not one of `outcomes`. */
type Conditions = Omit<LogEntryFilter, 'outcome'> & { outcome?: string };

type Parameters = Partial<Record<(typeof parameterNames)[number], string>>;

/** Throws a `GatewayError` (400) that names the parameter. */
export function parseLogQuery(organizationId: string, raw: RawQueryParameters): LogQuery {
  const parameters = readQueryParameters(raw, parameterNames);
  const window = parseTimeWindow(parameters);
  const conditions = readConditions(parameters);
  const order = readOrder(parameters);
  const ranges = rangesWithSorted(readRanges(parameters), order);
  const excludedOutcomes = outcomesOutside(ranges, conditions.outcome);
  const scope = JSON.stringify([organizationId, window, conditions, ranges, order.direction]);
  return {
    organizationId,
    window,
    filters: filtersOf(conditions),
    bounds: { ranges, excludedOutcomes },
    order,
    limit: readLimit(parameters),
    offset: readOffset(parameters),
    cursor: parameters.cursor,
    scope,
  };
}

function filtersOf({ model, provider, outcome, ...others }: Conditions): LogEntryFilter[] {
  if (outcome !== undefined && !isOutcome(outcome)) return [];
  const shared = { ...others, ...(outcome !== undefined && { outcome }) };
  return modelFilters(model, provider).map((filter) => ({ ...filter, ...shared }));
}

function isOutcome(text: string): text is Outcome {
  return outcomes.some((outcome) => outcome === text);
}

function readConditions(parameters: Parameters): Conditions {
  const conditions: Conditions = {};
  for (const name of textParameters) {
    const value = parameters[name];
    if (value !== undefined) conditions[name] = readText(name, value);
  }
  const { operation, status } = parameters;
  if (operation !== undefined) conditions.operation = readChoice('operation', operation, operations);
  if (status !== undefined) conditions.status = readInteger('status', status, { min: 100, max: 599 });
  return conditions;
}

function readLimit({ limit }: Parameters): number {
  return limit === undefined
    ? defaultLimit
    : readInteger('limit', limit, {
        min: 1,
        max: maxLimit,
        hint: '; use next_cursor to get the next page',
      });
}

function readOffset({ offset, cursor }: Parameters): number {
  if (offset === undefined) return 0;
  if (cursor !== undefined) {
    throw invalidRequestError(
      'offset',
      'offset cannot be combined with cursor: remove offset, since the cursor already marks the position',
    );
  }
  return readInteger('offset', offset, {
    min: 0,
    max: maxOffset,
    hint: '; use next_cursor to go further',
  });
}
