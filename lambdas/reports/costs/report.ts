/** The core of every report of costs, whatever its form. */

import type { JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { type GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import { type CostQuery, parseCostQuery } from './query.ts';
import { type CostDependencies, readCosts } from './read.ts';
import { type CostSummary, summarizeCosts } from './summary.ts';
import { costSummaryJson } from './summary-json.ts';

/** Throws a `GatewayError` (400) that names the parameter. */
export async function readCostReport<Report>(
  dependencies: CostDependencies,
  organizationId: string,
  parameters: RawQueryParameters,
  toReport: (summary: CostSummary) => Report,
): Promise<Report> {
  const query = parseCostQuery(parameters, dependencies.now());
  const costs = await readCosts(dependencies, organizationId, query);
  const report = toReport(summarizeCosts(query, costs));
  if (responseBytes(report) > maxResponseBytes) throw responseTooLargeError(query);
  return report;
}

function responseTooLargeError({ groupBy, series }: CostQuery): GatewayError {
  return groupBy !== null && series !== null
    ? invalidRequestError('limit', 'The response would be too large: lower limit, or choose a shorter window')
    : invalidRequestError(
        'start',
        'The response would be too large: choose a shorter window, or filter by provider',
      );
}

/** `GET /api/costs`: requests, tokens, costs, errors and latencies of an organization, in total, by group and over time. */
export function createCostsEndpoint(dependencies: CostDependencies): JsonEndpoint {
  return ({ organizationId, query }) => readCostReport(dependencies, organizationId, query, costSummaryJson);
}
