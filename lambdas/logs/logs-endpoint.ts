/** `GET /api/logs`: an organization's recent log entries, newest first. */
import type { Directory } from '../shared/domain/directory.ts';
import { invalidRequest } from '../shared/domain/gateway-error.ts';
import type { LogEntryReader } from '../shared/domain/log-entry.ts';
import { readLogPage } from '../shared/domain/log-page.ts';
import { parseLogQuery } from '../shared/domain/log-query.ts';
import { answerBytes, highestAnswerBytes } from '../shared/http/answer-size.ts';
import type { JsonEndpoint } from '../shared/http/json-endpoint.ts';
import { logEntryJson } from '../shared/http/log-entry-json.ts';

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
    if (answerBytes(answer) > highestAnswerBytes) {
      throw invalidRequest('limit', 'The page would be too long: take a lower limit');
    }
    return answer;
  };
}
