/** `GET /api/logs/{id}`: one log entry. */

import type { JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { readQueryParameters } from '#lambdas/platform/http/query.ts';
import type { LogEntryReader } from '../entry.ts';
import { logEntryJson } from '../entry-json.ts';
import { isUuid } from '../id.ts';

export function createLogEndpoint(logEntries: Pick<LogEntryReader, 'find'>): JsonEndpoint {
  return async ({ organizationId, query, id }) => {
    readQueryParameters(query, []);
    const entry = isUuid(id) ? await logEntries.find(organizationId, id.toLowerCase()) : null;
    if (entry === null)
      throw new GatewayError('not_found', { message: 'There is no log entry with this id' });
    return logEntryJson(entry);
  };
}
