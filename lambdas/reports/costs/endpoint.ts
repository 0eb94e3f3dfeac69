/** `GET /api/costs`: requests, tokens, costs, errors and latencies of an organization, in total, by group and over time. */
import type { JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import type { CostDependencies } from './read.ts';
import { readCostReport } from './report.ts';
import { costSummaryJson } from './summary-json.ts';

export function createCostsEndpoint(dependencies: CostDependencies): JsonEndpoint {
  return ({ organizationId, query }) => readCostReport(dependencies, organizationId, query, costSummaryJson);
}
