/** `GET /api/logs/{id}`: one log entry. */
import { GatewayError } from '../shared/domain/gateway-error.ts';
import type { LogEntryReader } from '../shared/domain/log-entry.ts';
import { isUuid } from '../shared/domain/log-id.ts';
import { readQueryParameters } from '../shared/domain/query-parameters.ts';
import type { JsonEndpoint } from '../shared/http/json-endpoint.ts';
import { logEntryJson } from '../shared/http/log-entry-json.ts';

export function createLogEndpoint(logEntries: Pick<LogEntryReader, 'find'>): JsonEndpoint {
  return async ({ organizationId, query, id }) => {
    readQueryParameters(query, []);
    const entry = isUuid(id) ? await logEntries.find(organizationId, id.toLowerCase()) : null;
    if (entry === null)
      throw new GatewayError('not_found', { message: 'There is no log entry with this id' });
    return logEntryJson(entry);
  };
}
