/** The rollup rows that show in which periods a query may match log entries. */
import { type CostRollup, type Dimension, totalsDimension } from '#lambdas/costs/rollups/rollup.ts';
import type { Totals } from '#lambdas/costs/rollups/totals.ts';
import { matchesModel } from '#lambdas/reports/model-filter.ts';
import type { Outcome } from '#lambdas/request-log/entry.ts';
import { countedErrorCode, isCountedErrorCode, namedErrorCodes } from '#lambdas/request-log/error-code.ts';
import type { LogEntryFilter, LogQuery } from '../query/query.ts';

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
export function rowConditionsOf({ filters, bounds }: Conditions): RowCondition[] | null {
  // The filters differ only by provider and model, which rows are matched with below.
  const [filter = {}] = filters;
  const { api_key_id, outcome, error_code, service_tier, operation } = filter;
  if (api_key_id === undefined && outcome === undefined && error_code === undefined) return null;

  const isExcluded = bounds.excludedOutcomes.includes('rejected');
  const includesRejected = (outcome === undefined && !isExcluded) || outcome === 'rejected';
  const hasMetadata = metadataFields.some((field) => filter[field] !== undefined);
  // Rows by metadata do not count rejected requests, and the index of the field narrows more than rows by key.
  if (hasMetadata && includesRejected && error_code === undefined) return null;

  const isOfOperation = (row: CostRollup) => operation === undefined || operation === row.operation;
  const hasReachedProvider = (row: CostRollup) =>
    matchesModel(filters, row) &&
    isOfOperation(row) &&
    (service_tier === undefined || service_tier === row.serviceTier) &&
    requestsWithOutcome(row.totals, outcome) > 0;
  const hasRejected = (row: CostRollup) =>
    includesRejected && isOfOperation(row) && row.totals.rejected_requests > 0;
  const byError: RowCondition = {
    dimension: 'error_code',
    value: errorRowValue(filter),
    isMet: (row) =>
      isRowOfCode(row, error_code) &&
      (hasReachedProvider(row) || (hasRejected(row) && matchesModel(filters, row))),
  };
  const byTotals: RowCondition = { dimension: totalsDimension, value: null, isMet: hasReachedProvider };
  // Not filtered by model: rows of rejected requests by key have none.
  const byKey: RowCondition[] =
    api_key_id === undefined
      ? []
      : [
          {
            dimension: 'api_key',
            value: api_key_id,
            isMet: (row) => hasReachedProvider(row) || hasRejected(row),
          },
        ];
  const byMetadata: RowCondition[] = metadataFields.flatMap((field) => {
    const value = filter[field];
    return value === undefined || includesRejected
      ? []
      : [{ dimension: field, value, isMet: hasReachedProvider }];
  });
  const conditions = [...(error_code === undefined ? [] : [byError]), ...byMetadata, ...byKey];
  if (conditions.length > 0) return conditions;
  return outcome === 'rejected' ? [byError] : [byTotals];
}

/** The requests that reached a provider, with this outcome or with any. */
function requestsWithOutcome(totals: Totals, outcome: Outcome | undefined): number {
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
