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
 * Returns conditions that a period with matching entries meets. Returns `null` when reading entries of all periods costs less
 * than finding these periods.
 */
export function rowConditionsOf(filters: LogEntryFilter[]): RowCondition[] | null {
  const [filter = {}] = filters;
  const { api_key_id, outcome, error_code, service_tier } = filter;
  if (api_key_id === undefined && outcome === undefined && error_code === undefined) return null;

  const includesRejected = outcome === undefined || outcome === 'rejected';
  const hasHeader = headerFields.some((field) => filter[field] !== undefined);
  // Rows by header do not count rejected requests, and the header's index narrows more than rows by key.
  if (hasHeader && includesRejected && error_code === undefined) return null;

  const hasForwarded = (row: CostRollup) =>
    matchesModel(filters, row) &&
    (service_tier === undefined || service_tier === row.serviceTier) &&
    forwardedRequests(row.totals, outcome) > 0;
  const hasRejected = ({ totals }: CostRollup) => includesRejected && totals.rejected_requests > 0;
  const byError: RowCondition = {
    dimension: 'error_code',
    value: errorRowValue(filter),
    isMet: (row) =>
      isRowOfCode(row, error_code) && (hasForwarded(row) || (hasRejected(row) && matchesModel(filters, row))),
  };
  const byTotals: RowCondition = { dimension: totalsDimension, value: null, isMet: hasForwarded };
  // Not filtered by model: rows of rejected requests by key have none.
  const byKey: RowCondition[] =
    api_key_id === undefined
      ? []
      : [{ dimension: 'api_key', value: api_key_id, isMet: (row) => hasForwarded(row) || hasRejected(row) }];
  const byHeader: RowCondition[] = headerFields.flatMap((field) => {
    const value = filter[field];
    return value === undefined || includesRejected ? [] : [{ dimension: field, value, isMet: hasForwarded }];
  });
  const conditions = [...(error_code === undefined ? [] : [byError]), ...byHeader, ...byKey];
  if (conditions.length > 0) return conditions;
  return outcome === 'rejected' ? [byError] : [byTotals];
}

/** The forwarded requests with this outcome, or with any. */
function forwardedRequests(totals: Totals, outcome: Outcome | undefined): number {
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
