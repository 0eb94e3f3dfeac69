/** The rollup rows that show in which periods a query may match log entries. */
import { type CostRollup, type Dimension, totalsDimension } from '#lambdas/costs/rollups/rollup.ts';
import { errorRequestsOf, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { toUnits } from '#lambdas/platform/money.ts';
import { matchesModel } from '#lambdas/reports/model-filter.ts';
import type { Outcome } from '#lambdas/request-log/entry.ts';
import { countedErrorCode, isCountedErrorCode, namedErrorCodes } from '#lambdas/request-log/error-code.ts';
import type { LogQuery } from '../query/query.ts';
import type { RangeField } from '../query/ranges.ts';
import { isInRows, maxValueOf } from './max-values.ts';

/** A period can have matching entries only if it has a row that meets the condition. */
export interface RowCondition {
  dimension: Dimension;
  /** `null` for rows of any value. */
  value: string | null;
  isMet(row: CostRollup): boolean;
}

type Conditions = Pick<LogQuery, 'filters' | 'bounds'>;

const metadataFields = ['session_id', 'user_id', 'prompt_id'] as const;

/**
 * Returns conditions that a period with matching entries meets. Returns `null` when reading entries of all periods costs less
 * than finding these periods.
 */
export function rowConditionsOf(query: Conditions): RowCondition[] | null {
  const { outcome, error_code, hasMetadata, ...filter } = partsOf(query);
  const isInOtherRows = [filter.api_key_id, filter.route, outcome, error_code].some(
    (value) => value !== undefined,
  );
  const hasNarrowRange = query.bounds.ranges.some((range) => range.min !== '0' && isInRows(range, outcome));
  // The index of the field narrows more than rows of all requests.
  if (!isInOtherRows && (!hasNarrowRange || hasMetadata)) return null;

  const isExcluded = query.bounds.excludedOutcomes.includes('rejected');
  const includesRejected = (outcome === undefined && !isExcluded) || outcome === 'rejected';
  // Rows by metadata do not count rejected requests, and the index of the field narrows more than rows by key.
  if (hasMetadata && includesRejected && error_code === undefined) return null;

  const hasReached = (dimension: Dimension) => (row: CostRollup) => hasReachedProvider(query, dimension, row);
  const hasRejected = (row: CostRollup) =>
    includesRejected && isOfOperation(query, row) && row.totals.rejected_requests > 0;
  const byError: RowCondition = {
    dimension: 'error_code',
    value: errorRowValue({ ...filter, error_code }),
    isMet: (row) =>
      isRowOfCode(row, error_code) &&
      (hasReached('error_code')(row) || (hasRejected(row) && matchesModel(query.filters, row))),
  };
  // Not filtered by model: these rows of rejected requests have none.
  const byValue = (dimension: Dimension, value: string | undefined): RowCondition[] =>
    value === undefined
      ? []
      : [{ dimension, value, isMet: (row) => hasReached(dimension)(row) || hasRejected(row) }];
  const byKey = byValue('api_key', filter.api_key_id);
  const byRoute = byValue('route', filter.route);
  const byMetadata: RowCondition[] = metadataFields.flatMap((field) => {
    const value = filter[field];
    return value === undefined || includesRejected
      ? []
      : [{ dimension: field, value, isMet: hasReached(field) }];
  });
  const conditions = [...(error_code === undefined ? [] : [byError]), ...byMetadata, ...byRoute, ...byKey];
  if (conditions.length > 0) return conditions;
  return outcome === 'rejected'
    ? [byError]
    : [{ dimension: totalsDimension, value: null, isMet: hasReached(totalsDimension) }];
}

/**
 * The rows that show how high the values of matching entries are in a period; `null` if none do, or if an index narrows more.
 * A period without such a row has no matching entries.
 */
export function rankingCondition(query: Conditions, field: RangeField): RowCondition | null {
  const { api_key_id, outcome, error_code, hasMetadata } = partsOf(query);
  const isRanked = query.filters.length > 0 && !hasMetadata && error_code === undefined;
  if (!isRanked || !isInRows({ field }, outcome)) return null;
  const dimension = api_key_id === undefined ? totalsDimension : 'api_key';
  return { dimension, value: api_key_id ?? null, isMet: (row) => hasReachedProvider(query, dimension, row) };
}

function partsOf({ filters: [filter = {}] }: Conditions) {
  // The filters differ only by provider and model, which rows are matched with.
  const hasMetadata = metadataFields.some((field) => filter[field] !== undefined);
  const { api_key_id, outcome, error_code } = filter;
  return { ...filter, api_key_id, outcome, error_code, hasMetadata };
}

function isOfOperation({ filters: [filter = {}] }: Conditions, row: CostRollup): boolean {
  return filter.operation === undefined || filter.operation === row.operation;
}

/** Whether the row can have matching requests that reached a provider. */
function hasReachedProvider(query: Conditions, dimension: Dimension, row: CostRollup): boolean {
  const { outcome, service_tier } = query.filters[0] ?? {};
  return (
    matchesModel(query.filters, row) &&
    isOfOperation(query, row) &&
    (service_tier === undefined || service_tier === row.serviceTier) &&
    entriesWithOutcome(row.totals, outcome) > 0 &&
    query.bounds.ranges.every((range) => {
      const highest = isInRows(range, outcome) ? maxValueOf(row, dimension, range.field) : null;
      return highest === null || highest >= toUnits(range.min);
    })
  );
}

/** The entries that reached a provider, with this outcome or with any, at most: attempts are not counted by outcome. */
function entriesWithOutcome(totals: Totals, outcome: Outcome | undefined): number {
  const { requests, fallback_attempts, provider_error_requests, timeout_requests, client_closed_requests } =
    totals;
  const { interrupted_requests } = totals;
  switch (outcome) {
    case undefined:
      return requests + fallback_attempts;
    case 'completed':
      return requests - errorRequestsOf(totals) - client_closed_requests;
    case 'provider_error':
      return provider_error_requests + fallback_attempts;
    case 'timeout':
      return timeout_requests + fallback_attempts;
    case 'client_closed':
      return client_closed_requests;
    case 'interrupted':
      return interrupted_requests;
    case 'rejected':
      return 0;
    default:
      return outcome satisfies never;
  }
}

/** `null` when the code can be counted under several values. */
function errorRowValue({
  error_code,
  status,
}: {
  error_code: string | undefined;
  status?: number;
}): string | null {
  if (error_code === undefined) return null;
  if (isCountedErrorCode(error_code)) return error_code;
  return status === undefined ? null : countedErrorCode({ error_code, status });
}

/** Codes that are not counted under their names are counted by status. */
function isRowOfCode({ value }: CostRollup, code: string | undefined): boolean {
  return (
    code === undefined ||
    value === code ||
    (!isCountedErrorCode(code) && !namedErrorCodes.includes(value ?? ''))
  );
}
