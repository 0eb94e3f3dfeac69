/** The core of every list of log entries, whatever its form. */
import type { Directory } from '#lambdas/access/directory.ts';
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import { type LogPage, type LogPageDependencies, readLogPage } from './page.ts';
import { type LogQuery, parseLogQuery } from './query.ts';

export interface LogsDependencies extends LogPageDependencies {
  logAccessOf: Directory['logAccessOf'];
}

/** Throws a `GatewayError` (400) that names the parameter. */
export async function readLogList<List extends object>(
  dependencies: LogsDependencies,
  organizationId: string,
  parameters: RawQueryParameters,
  toList: (page: LogPage, query: LogQuery) => List,
): Promise<List> {
  const query = parseLogQuery(organizationId, parameters);
  const page = await readLogPage(dependencies, query, await dependencies.logAccessOf(organizationId));
  const list = toList(page, query);
  if (responseBytes(list) > maxResponseBytes) {
    throw invalidRequest('limit', 'The page would exceed 6 MB: use a lower limit');
  }
  return list;
}
