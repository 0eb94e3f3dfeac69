import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import { type RawQueryParameters, readQueryParameters } from '#lambdas/platform/http/query.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { type ExplainedLogEntry, findExplainedLogEntry } from '#lambdas/reports/logs/entry.ts';
import {
  type LogEntryList,
  type LogListDependencies,
  readLogList,
  sortedJson,
} from '#lambdas/reports/logs/list.ts';
import { readLogPage } from '#lambdas/reports/logs/page.ts';
import { type LogQuery, parseLogQuery } from '#lambdas/reports/logs/query/query.ts';
import { type NewEntries, readNewEntries, tailOfPage } from '#lambdas/reports/logs/tail.ts';
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
  const { time_zone: timeZone, written_after: tails, ...parameters } = resolveLocalDates(query);
  const { written_after: writtenAfter } = readQueryParameters(
    { ...(timeZone && { time_zone: timeZone }), ...(tails && { written_after: tails }) },
    ['time_zone', 'written_after'],
  );
  if (writtenAfter !== undefined) {
    return jsonResponse(toTail(await readNewEntries(reports, organization.id, parameters, writtenAfter)));
  }
  const readAtMs = reports.now().getTime();
  const toList = (list: LogEntryList, logQuery: LogQuery) => ({
    ...toLogList(list, logQuery),
    tail: tailOfPage(logQuery, readAtMs),
  });
  return jsonResponse(await readLogList(reports, organization.id, parameters, toList));
};

function toLogList(list: LogEntryList, { limit }: LogQuery): Omit<LogList, 'tail'> {
  const { entries, hasMore, nextCursor, searchedBackToMs } = list;
  return {
    object: 'list',
    data: entries.map(toListedEntry),
    limit,
    has_more: hasMore,
    next_cursor: nextCursor,
    searched_back_to: searchedBackToMs === null ? null : new Date(searchedBackToMs).toISOString(),
    sorted: sortedJson(list),
  };
}

function toTail({ entries, hasMore, tail, query }: NewEntries): LogList {
  const list = { entries, hasMore, nextCursor: null, searchedBackToMs: null, sorted: null };
  return { ...toLogList(list, query), tail };
}

/** `GET /dashboard/api/analytics/{organization}/logs/{id}` */
const getLogEntry: AnalyticsHandler<LogEntryDetails> = async (
  { organization, query, parameters: { id = '' } },
  { reports },
) => {
  readQueryParameters(query, []);
  return jsonResponse(toEntryDetails(await findExplainedLogEntry(reports, organization.id, id)));
};

const maxEntries = 1000;
/** A page is short if many of its entries have expired and are still stored. */
const maxPages = 3;

/** `GET /dashboard/api/analytics/{organization}/session`: the requests of a session with the costs up to each. */
const getCallerSession: AnalyticsHandler<CallerSessionReport> = async (
  { organization, query },
  { reports },
) => {
  const { session_id: sessionId } = readQueryParameters(query, ['session_id']);
  if (sessionId === undefined) throw invalidRequestError('session_id', 'session_id is missing');
  const newest = await readNewestEntries(reports, organization.id, { session_id: [sessionId] });
  return jsonResponse(toReport(sessionId, newest));
};

interface NewestEntries {
  /** The newest first. */
  entries: LogEntry[];
  hasEarlier: boolean;
}

/** At most 1,000 entries that match the conditions of a list. */
export async function readNewestEntries(
  reports: LogListDependencies,
  organizationId: string,
  conditions: RawQueryParameters,
): Promise<NewestEntries> {
  const query = parseLogQuery(organizationId, conditions);
  const access = await reports.logAccessOf(organizationId);
  const entries: LogEntry[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages && entries.length < maxEntries; pages += 1) {
    const limit = maxEntries - entries.length;
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
