/** `GET /api/logs` lists log entries of an organization, by default the newest first; `GET /api/logs/{id}` returns one of them. */
import type { JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { readQueryParameters } from '#lambdas/platform/http/query.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import { listedEntryJson, logEntryJson } from '#lambdas/request-log/entry-json.ts';
import type { CostBreakdown } from './cost-breakdown.ts';
import { findExplainedLogEntry, type LogEntryDependencies } from './entry.ts';
import { type LogEntryList, type LogListDependencies, readLogList, sortedJson } from './list.ts';
import type { LogQuery } from './query/query.ts';

export function createLogListEndpoint(dependencies: LogListDependencies): JsonEndpoint {
  return ({ organizationId, query }) => readLogList(dependencies, organizationId, query, logListJson);
}

function logListJson(list: LogEntryList, { limit, offset }: LogQuery) {
  const { entries, hasMore, nextCursor } = list;
  return {
    object: 'list',
    data: entries.map(listedEntryJson),
    limit,
    offset,
    has_more: hasMore,
    next_cursor: nextCursor,
    sorted: sortedJson(list),
  };
}

export function createLogEntryEndpoint(dependencies: LogEntryDependencies): JsonEndpoint {
  return async ({ organizationId, query, pathId }) => {
    readQueryParameters(query, []);
    const { entry, costBreakdown } = await findExplainedLogEntry(dependencies, organizationId, pathId);
    return { ...logEntryJson(entry), cost_breakdown: costBreakdown && breakdownJson(costBreakdown) };
  };
}

/** Amounts of money are raw numbers with all digits. */
function breakdownJson(parts: CostBreakdown) {
  return parts.map(({ model, charges, cost_usd }) => ({
    model,
    charges: charges.map((charge) => ({
      ...charge,
      price_usd: usdJson(charge.price_usd),
      cost_usd: usdJson(charge.cost_usd),
    })),
    cost_usd: usdJson(cost_usd),
  }));
}
