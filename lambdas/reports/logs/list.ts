/** The core of every list of log entries, whatever the form of its entries. */
import type { Directory } from '#lambdas/access/directory.ts';
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type LogPageDependencies, readLogPage } from './page.ts';
import { parseLogQuery } from './query.ts';

export interface LogsDependencies extends LogPageDependencies {
  logAccessOf: Directory['logAccessOf'];
}

export interface LogList<Entry> {
  object: 'list';
  /** The newest first. */
  data: Entry[];
  limit: number;
  offset: number;
  has_more: boolean;
  next_cursor: string | null;
}

/** Throws a `GatewayError` (400) that names the parameter. */
export async function readLogList<Entry>(
  dependencies: LogsDependencies,
  organizationId: string,
  parameters: RawQueryParameters,
  toListed: (entry: LogEntry) => Entry,
): Promise<LogList<Entry>> {
  const query = parseLogQuery(organizationId, parameters);
  const page = await readLogPage(dependencies, query, await dependencies.logAccessOf(organizationId));
  const list: LogList<Entry> = {
    object: 'list',
    data: page.entries.map(toListed),
    limit: query.limit,
    offset: query.offset,
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
  };
  if (responseBytes(list) > maxResponseBytes) {
    throw invalidRequest('limit', 'The page would exceed 6 MB: use a lower limit');
  }
  return list;
}
