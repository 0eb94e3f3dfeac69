/** The core of every report of costs, whatever its form. */

import type { JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { type GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import { type CostQuery, parseCostQuery } from './query.ts';
import { type CostDependencies, readCosts } from './read.ts';
import { type CostSummary, summarizeCosts } from './summary.ts';
import { costSummaryJson } from './summary-json.ts';

export async function summarizeQuery(
  dependencies: CostDependencies,
  organizationId: string,
  query: CostQuery,
): Promise<CostSummary> {
  return summarizeCosts(query, await readCosts(dependencies, organizationId, query));
}

/** The report for a caller's parameters. Throws a `GatewayError` (400) that names the parameter. */
export async function reportCosts<Report>(
  dependencies: CostDependencies,
  organizationId: string,
  parameters: RawQueryParameters,
  toReport: (summary: CostSummary) => Report,
): Promise<Report> {
  const query = parseCostQuery(parameters, dependencies.now());
  const report = toReport(await summarizeQuery(dependencies, organizationId, query));
  if (responseBytes(report) > maxResponseBytes) throw responseTooLargeError(query);
  return report;
}

function responseTooLargeError({ groupBy, series }: CostQuery): GatewayError {
  return groupBy !== null && series !== null
    ? invalidRequestError('limit', 'The response would exceed 6 MB: lower limit, or choose a shorter window')
    : invalidRequestError(
        'start',
        'The response would exceed 6 MB: choose a shorter window, or filter by provider',
      );
}

/** `GET /api/costs`: requests, tokens, costs, errors and latencies of an organization, in total, by group and over time. */
export function createCostsEndpoint(dependencies: CostDependencies): JsonEndpoint {
  return ({ organizationId, query }) => reportCosts(dependencies, organizationId, query, costSummaryJson);
}
