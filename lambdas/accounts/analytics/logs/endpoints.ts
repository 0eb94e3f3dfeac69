import { jsonResponse } from '#lambdas/accounts/http/dashboard-response.ts';
import { readQueryParameters } from '#lambdas/platform/http/query.ts';
import { findExplainedLogEntry } from '#lambdas/reports/logs/entry.ts';
import { readLogList } from '#lambdas/reports/logs/list.ts';
import type { LogPage } from '#lambdas/reports/logs/page.ts';
import type { LogQuery } from '#lambdas/reports/logs/query.ts';
import type { AnalyticsHandler } from '../call.ts';
import { resolveLocalDates } from '../local-bounds.ts';
import type { LogEntryDetails, LogList } from '../responses.ts';
import { toEntryDetails, toListedEntry } from './entry.ts';

/** `GET /dashboard/api/analytics/{organization}/logs` */
export const listLogEntries: AnalyticsHandler = async ({ organization, query }, { reports }) => {
  const { time_zone: timeZone, ...parameters } = resolveLocalDates(query);
  if (timeZone !== undefined) readQueryParameters({ time_zone: timeZone }, ['time_zone']);
  return jsonResponse<LogList>(await readLogList(reports, organization.id, parameters, toLogList));
};

function toLogList(
  { entries, hasMore, nextCursor, searchedBackToMs }: LogPage,
  { limit }: LogQuery,
): LogList {
  return {
    object: 'list',
    data: entries.map(toListedEntry),
    limit,
    has_more: hasMore,
    next_cursor: nextCursor,
    searched_back_to: searchedBackToMs === null ? null : new Date(searchedBackToMs).toISOString(),
  };
}

/** `GET /dashboard/api/analytics/{organization}/logs/{id}` */
export const getLogEntry: AnalyticsHandler = async (
  { organization, query, parameters: { id = '' } },
  { reports },
) => {
  readQueryParameters(query, []);
  return jsonResponse<LogEntryDetails>(
    toEntryDetails(await findExplainedLogEntry(reports, organization.id, id)),
  );
};
