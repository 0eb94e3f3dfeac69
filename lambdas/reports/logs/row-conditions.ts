/** The rollup rows that show in which periods a query may match log entries. */
import { type CostRollup, type Dimension, totalsDimension } from '#lambdas/costs/rollups/rollup.ts';
import type { Totals } from '#lambdas/costs/rollups/totals.ts';
import type { Outcome } from '#lambdas/request-log/entry.ts';
import { countedErrorCode, isCountedErrorCode, namedErrorCodes } from '#lambdas/request-log/error-code.ts';
import { matchesModel } from '#lambdas/request-log/model-filter.ts';
import type { LogEntryFilter } from './query.ts';

/** Met in a period that has such a row. */
export interface RowCondition {
  dimension: Dimension;
  /** `null` for rows of any value. */
  value: string | null;
  isMet(row: CostRollup): boolean;
}

const headerFields = ['session_id', 'user_id', 'prompt_id'] as const;

/**
 * Returns alternatives: a period can have matching entries only if it meets all conditions of one of them. Returns `null`
 * when reading entries of all periods costs less than finding these periods.
 */
export function rowConditionsOf(filters: LogEntryFilter[]): RowCondition[][] | null {
  const [filter = {}] = filters;
  const { api_key_id, outcome, error_code } = filter;
  if (api_key_id === undefined && outcome === undefined && error_code === undefined) return null;

  const isCalledOnly = outcome !== undefined && outcome !== 'rejected';
  const hasHeader = headerFields.some((field) => filter[field] !== undefined);
  // Rejected requests are counted by error code only. Many hours have some, so the index of a header narrows more.
  if (hasHeader && error_code === undefined && !isCalledOnly) return null;

  const isCalled = (row: CostRollup) =>
    matchesModel(filters, row) &&
    (filter.service_tier === undefined || filter.service_tier === row.serviceTier) &&
    calledRequests(row.totals, outcome) > 0;
  // These rows have no service tier.
  const isRejected = (row: CostRollup) => matchesModel(filters, row) && row.totals.rejected_requests > 0;
  const errors = (isMet: RowCondition['isMet']): RowCondition => ({
    dimension: 'error_code',
    value: errorRowValue(filter),
    isMet: (row) => isRowOfCode(row, error_code) && isMet(row),
  });

  const callers: RowCondition[] = ([...headerFields, 'api_key_id'] as const).flatMap((field) => {
    const value = filter[field];
    return value === undefined
      ? []
      : [{ dimension: field === 'api_key_id' ? 'api_key' : field, value, isMet: isCalled }];
  });
  if (outcome === 'rejected') return [[errors(isRejected)]];
  const conditions = error_code === undefined ? callers : [errors(isCalled), ...callers];
  if (outcome !== undefined) {
    const totals: RowCondition = { dimension: totalsDimension, value: null, isMet: isCalled };
    return [conditions.length === 0 ? [totals] : conditions];
  }
  // The same rows count requests that a provider was called for, and rejected ones.
  if (callers.length === 0) return [[errors((row) => isCalled(row) || isRejected(row))]];
  return [conditions, [errors(isRejected)]];
}

/** The requests with this outcome, or with any, for which a provider was called. */
function calledRequests(totals: Totals, outcome: Outcome | undefined): number {
  const { requests, provider_error_requests, timeout_requests, client_closed_requests } = totals;
  const { interrupted_requests } = totals;
  switch (outcome) {
    case undefined:
      return requests;
    case 'completed':
      return (
        requests - provider_error_requests - timeout_requests - client_closed_requests - interrupted_requests
      );
    case 'provider_error':
      return provider_error_requests;
    case 'timeout':
      return timeout_requests;
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
function errorRowValue({ error_code, status }: LogEntryFilter): string | null {
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
