import { jsonResponse } from '#lambdas/accounts/http/dashboard-response.ts';
import { readQueryParameters } from '#lambdas/platform/http/query.ts';
import { findExplainedLogEntry } from '#lambdas/reports/logs/entry.ts';
import { readLogList } from '#lambdas/reports/logs/list.ts';
import type { AnalyticsHandler } from '../call.ts';
import { resolveLocalDates } from '../local-bounds.ts';
import type { LogEntryDetails, LogList } from '../responses.ts';
import { toEntryDetails, toListedEntry } from './entry.ts';

/** `GET /dashboard/api/analytics/{organization}/logs` */
export const listLogEntries: AnalyticsHandler = async ({ organization, query }, { reports }) => {
  const { time_zone: timeZone, ...parameters } = resolveLocalDates(query);
  if (timeZone !== undefined) readQueryParameters({ time_zone: timeZone }, ['time_zone']);
  const { offset: _, ...list } = await readLogList(reports, organization.id, parameters, toListedEntry);
  return jsonResponse<LogList>(list);
};

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
