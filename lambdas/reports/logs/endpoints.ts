/** `GET /api/logs` lists the log entries of an organization, newest first; `GET /api/logs/{id}` returns one of them. */
import type { Directory } from '#lambdas/access/directory.ts';
import type { JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { GatewayError, invalidRequest } from '#lambdas/platform/errors.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import { readQueryParameters } from '#lambdas/platform/http/query.ts';
import { isUuid } from '#lambdas/platform/uuid.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { listedEntryJson, logEntryJson } from '#lambdas/request-log/entry-json.ts';
import type { CostBreakdown } from './cost-breakdown.ts';
import { type LogPageDependencies, readLogPage } from './page.ts';
import { parseLogQuery } from './query.ts';
import type { LogEntryReader } from './read.ts';

export interface LogsDependencies extends LogPageDependencies {
  logAccessOf: Directory['logAccessOf'];
}

export function createLogsEndpoint(dependencies: LogsDependencies): JsonEndpoint {
  return async ({ organizationId, query: parameters }) => {
    const query = parseLogQuery(organizationId, parameters);
    const page = await readLogPage(dependencies, query, await dependencies.logAccessOf(organizationId));
    const list = {
      object: 'list',
      data: page.entries.map(listedEntryJson),
      limit: query.limit,
      offset: query.offset,
      has_more: page.hasMore,
      next_cursor: page.nextCursor,
    };
    if (responseBytes(list) > maxResponseBytes) {
      throw invalidRequest('limit', 'The page would exceed 6 MB: use a lower limit');
    }
    return list;
  };
}

/** Returns `null` when the current prices for the entry's time do not give its cost. */
export type ExplainCost = (entry: LogEntry) => Promise<CostBreakdown | null>;

export interface LogDependencies {
  logEntries: Pick<LogEntryReader, 'find'>;
  /** Loads the price table, so it is called only for a cost that the gateway calculated. */
  loadExplainCost(): Promise<ExplainCost>;
}

export function createLogEndpoint({ logEntries, loadExplainCost }: LogDependencies): JsonEndpoint {
  return async ({ organizationId, query: parameters, id }) => {
    readQueryParameters(parameters, []);
    const entry = isUuid(id) ? await logEntries.find(organizationId, id.toLowerCase()) : null;
    if (entry === null) {
      throw new GatewayError('not_found', { message: 'There is no log entry with this id' });
    }
    return { ...logEntryJson(entry), cost_breakdown: await findCostBreakdown(entry, loadExplainCost) };
  };
}

/** Without the prices, the entry is returned all the same, with `null`. */
async function findCostBreakdown(
  entry: LogEntry,
  loadExplainCost: LogDependencies['loadExplainCost'],
): Promise<CostBreakdown | null> {
  if (!hasCalculatedCost(entry)) return null;
  try {
    const explainCost = await loadExplainCost();
    return await explainCost(entry);
  } catch (error) {
    logUnexpected(error);
    return null;
  }
}

function hasCalculatedCost({ pricing }: LogEntry): boolean {
  return pricing !== null && pricing !== 'provider' && pricing !== 'unknown';
}
