/** `GET /api/logs`: an organization's recent log entries, newest first. */
import type { Directory } from '#lambdas/access/directory.ts';
import type { JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import type { LogEntryReader } from '../entry.ts';
import { logEntryJson } from '../entry-json.ts';
import { readLogPage } from '../page.ts';
import { parseLogQuery } from '../query.ts';

export interface LogSources {
  logEntries: Pick<LogEntryReader, 'newestFirst'>;
  logAccessOf: Directory['logAccessOf'];
}

export function createLogsEndpoint({ logEntries, logAccessOf }: LogSources): JsonEndpoint {
  return async ({ organizationId, query }) => {
    const logQuery = parseLogQuery(organizationId, query);
    const access = await logAccessOf(organizationId);
    const { entries, hasMore, nextCursor } = await readLogPage(logQuery, { reader: logEntries, ...access });
    const answer = {
      object: 'list',
      data: entries.map(logEntryJson),
      limit: logQuery.limit,
      offset: logQuery.offset,
      has_more: hasMore,
      next_cursor: nextCursor,
    };
    if (responseBytes(answer) > maxResponseBytes) {
      throw invalidRequest('limit', 'The page would be too long: take a lower limit');
    }
    return answer;
  };
}
