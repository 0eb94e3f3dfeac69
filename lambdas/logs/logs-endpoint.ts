/** `GET /api/logs`: an organization's recent log entries, newest first. */
import type { LogEntryReader } from '../shared/domain/log-entry.ts';
import { parseLogQuery, readLogPage } from '../shared/domain/log-query.ts';
import type { JsonEndpoint } from '../shared/http/json-endpoint.ts';
import { logEntryJson } from '../shared/http/log-entry-json.ts';

export function createLogsEndpoint(logEntries: LogEntryReader): JsonEndpoint {
  return async ({ organizationId, query }) => {
    const logQuery = parseLogQuery(organizationId, query);
    const { entries, hasMore, nextCursor } = await readLogPage(logEntries, logQuery);
    return {
      object: 'list',
      data: entries.map(logEntryJson),
      limit: logQuery.limit,
      offset: logQuery.offset,
      has_more: hasMore,
      next_cursor: nextCursor,
    };
  };
}
