import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import { readQueryParameters } from '#lambdas/platform/http/query.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { type ExplainedLogEntry, findExplainedLogEntry } from '#lambdas/reports/logs/entry.ts';
import {
  type LogListDependencies,
  type LogPage,
  readLogList,
  readLogPage,
} from '#lambdas/reports/logs/page.ts';
import { type LogQuery, parseLogQuery } from '#lambdas/reports/logs/query.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { jsonResponse } from '../http/response.ts';
import { type AnalyticsHandler, type AnalyticsRoute, analyticsRoute } from './call.ts';
import { resolveLocalDates } from './local-bounds.ts';
import type {
  CallerSessionReport,
  CallerSessionRequest,
  ListedLogEntry,
  LogEntryDetails,
  LogList,
} from './responses.ts';

/** `GET /dashboard/api/analytics/{organization}/logs` */
const listLogEntries: AnalyticsHandler<LogList> = async ({ organization, query }, { reports }) => {
  const { time_zone: timeZone, ...parameters } = resolveLocalDates(query);
  if (timeZone !== undefined) readQueryParameters({ time_zone: timeZone }, ['time_zone']);
  return jsonResponse(await readLogList(reports, organization.id, parameters, toLogList));
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
const getLogEntry: AnalyticsHandler<LogEntryDetails> = async (
  { organization, query, parameters: { id = '' } },
  { reports },
) => {
  readQueryParameters(query, []);
  return jsonResponse(toEntryDetails(await findExplainedLogEntry(reports, organization.id, id)));
};

const maxRequests = 1000;
/** A page is short if many of its entries have expired and are still stored. */
const maxPages = 3;

/** `GET /dashboard/api/analytics/{organization}/session`: the requests of a session with the costs up to each. */
const getCallerSession: AnalyticsHandler<CallerSessionReport> = async (
  { organization, query },
  { reports },
) => {
  const { session_id: sessionId } = readQueryParameters(query, ['session_id']);
  if (sessionId === undefined) throw invalidRequestError('session_id', 'session_id is missing');
  return jsonResponse(toReport(sessionId, await readNewest(reports, organization.id, sessionId)));
};

interface NewestEntries {
  /** The newest first. */
  entries: LogEntry[];
  hasEarlier: boolean;
}

async function readNewest(
  reports: LogListDependencies,
  organizationId: string,
  sessionId: string,
): Promise<NewestEntries> {
  const query = parseLogQuery(organizationId, { session_id: [sessionId] });
  const access = await reports.logAccessOf(organizationId);
  const entries: LogEntry[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages && entries.length < maxRequests; pages += 1) {
    const limit = maxRequests - entries.length;
    const page = await readLogPage(reports, { ...query, limit, cursor }, access);
    entries.push(...page.entries);
    if (page.nextCursor === null) return { entries, hasEarlier: false };
    cursor = page.nextCursor;
  }
  return { entries, hasEarlier: true };
}

/** Fewer requests if the response would be too large. */
function toReport(session_id: string, { entries, hasEarlier }: NewestEntries): CallerSessionReport {
  const data = withCumulativeCosts(entries.toReversed());
  const report: CallerSessionReport = { session_id, data, has_earlier: hasEarlier };
  if (responseBytes(report) <= maxResponseBytes) return report;
  const newest = entries.slice(0, Math.ceil(entries.length / 2));
  return toReport(session_id, { entries: newest, hasEarlier: true });
}

function withCumulativeCosts(entries: readonly LogEntry[]): CallerSessionRequest[] {
  let cumulative = '0';
  return entries.map((entry) => {
    cumulative = addUsd(cumulative, entry.cost_usd);
    return { ...toListedEntry(entry), cumulative_cost_usd: cumulative };
  });
}

/** Money is text, as in `LogEntry`; the organization is the caller's. */
export function toListedEntry({ organization_id: _, billed_parts: __, ...entry }: LogEntry): ListedLogEntry {
  return entry;
}

function toEntryDetails({
  entry: { organization_id: _, ...entry },
  costBreakdown,
}: ExplainedLogEntry): LogEntryDetails {
  return { ...entry, cost_breakdown: costBreakdown };
}

export const logRoutes: readonly AnalyticsRoute[] = [
  analyticsRoute('/logs', listLogEntries),
  analyticsRoute('/logs/{id}', getLogEntry),
  analyticsRoute('/session', getCallerSession),
];
