/** A list of log entries: a page by time, or the first entries by another number. */
import type { Directory, LogAccess } from '#lambdas/access/directory.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import { type LogPage, type LogPageDependencies, readLogPage } from './page.ts';
import { sortedField } from './query/order.ts';
import { type LogQuery, parseLogQuery } from './query/query.ts';
import { readSortedEntries, type SortedEntries } from './sorted-list.ts';

export interface LogListDependencies extends LogPageDependencies {
  logAccessOf: Directory['logAccessOf'];
}

export interface LogEntryList extends LogPage {
  /** `null` for a page by time. */
  sorted: Omit<SortedEntries, 'entries'> | null;
}

/** Throws a `GatewayError` (400) that names the parameter. */
export async function readLogList<List extends object>(
  dependencies: LogListDependencies,
  organizationId: string,
  parameters: RawQueryParameters,
  toJson: (list: LogEntryList, query: LogQuery) => List,
): Promise<List> {
  const query = parseLogQuery(organizationId, parameters);
  const access = await dependencies.logAccessOf(organizationId);
  const list = toJson(await readEntries(dependencies, query, access), query);
  if (responseBytes(list) > maxResponseBytes) {
    throw invalidRequestError('limit', 'The response would exceed 6 MB: lower limit');
  }
  return list;
}

async function readEntries(
  dependencies: LogPageDependencies,
  query: LogQuery,
  access: LogAccess,
): Promise<LogEntryList> {
  const field = sortedField(query.order);
  if (field === null) return { ...(await readLogPage(dependencies, query, access)), sorted: null };
  const { entries, ...sorted } = await readSortedEntries(dependencies, query, field, access);
  const { searchedBackToMs } = sorted;
  return { entries, hasMore: false, nextCursor: null, searchedBackToMs, sorted };
}

/** As in the response: `null` for a page by time. */
export function sortedJson({ sorted }: LogEntryList) {
  if (sorted === null) return null;
  const { searchedEntries, searchedBackToMs, hasMoreMatches } = sorted;
  return {
    searched_entries: searchedEntries,
    searched_back_to: searchedBackToMs === null ? null : new Date(searchedBackToMs).toISOString(),
    more_matches: hasMoreMatches,
  };
}
