/** `GET /api/costs`: requests, tokens, costs, errors and latencies of an organization, in total, by group and over time. */
import type { JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import { type CostQuery, parseCostQuery } from './query.ts';
import { type CostDependencies, readCosts } from './read.ts';
import { summarizeCosts } from './summary.ts';
import { costSummaryJson } from './summary-json.ts';

export function createCostsEndpoint(dependencies: CostDependencies): JsonEndpoint {
  return async ({ organizationId, query: parameters }) => {
    const query = parseCostQuery(parameters, dependencies.now());
    const costs = await readCosts(dependencies, organizationId, query);
    const summary = costSummaryJson(summarizeCosts(query, costs));
    if (responseBytes(summary) > maxResponseBytes) throw responseTooLarge(query);
    return summary;
  };
}

function responseTooLarge({ groupBy, series }: CostQuery) {
  return groupBy !== null && series !== null
    ? invalidRequest('limit', 'The response would be too large: lower limit, or choose a shorter window')
    : invalidRequest(
        'start',
        'The response would be too large: choose a shorter window, or filter by provider',
      );
}
