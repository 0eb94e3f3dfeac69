/** `GET /api/costs`: what an organization's requests cost, by model, by what callers attached, and over time. */
import { createCostBudget } from '../shared/domain/cost-budget.ts';
import { type CostQuery, parseCostQuery } from '../shared/domain/cost-query.ts';
import { summarizeCosts } from '../shared/domain/cost-summary.ts';
import { invalidRequest } from '../shared/domain/gateway-error.ts';
import type { JsonEndpoint } from '../shared/http/json-endpoint.ts';
import { costSummaryJson } from './cost-json.ts';
import type { CostSources } from './cost-reading.ts';
import { readCosts } from './read-costs.ts';

export interface CostLimits {
  /** Sums and entries that an answer may read: some 15 MB of the tables, and a few seconds. */
  highestItems: number;
  /** An answer of a function has at most 6 MB: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
  highestBytes: number;
}

export const costLimits: CostLimits = { highestItems: 50_000, highestBytes: 6_000_000 };

export function createCostsEndpoint(sources: CostSources, limits: CostLimits = costLimits): JsonEndpoint {
  return async ({ organizationId, query: parameters }) => {
    const query = parseCostQuery(parameters, sources.now());
    const budget = createCostBudget(query, limits.highestItems);
    const summary = summarizeCosts(query, await readCosts(sources, { organizationId, query, budget }));
    const answer = costSummaryJson(summary);
    if (bytesOf(answer) > limits.highestBytes) throw tooLong(query);
    return answer;
  };
}

/** What the function hands to API Gateway is JSON that holds the body as a text. */
function bytesOf(answer: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(answer)));
}

function tooLong({ groupBy, interval }: CostQuery) {
  const closer = 'take a start and an end that are closer together';
  return groupBy !== null && interval !== null
    ? invalidRequest('limit', `The answer would be too long: take a lower limit, or ${closer}`)
    : invalidRequest('start', `The answer would be too long: ${closer}, or a provider`);
}
