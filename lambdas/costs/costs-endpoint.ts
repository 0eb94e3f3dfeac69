/** `GET /api/costs`: what an organization's requests cost, by model, by what callers attached, and over time. */
import { createCostBudget } from '../shared/domain/cost-budget.ts';
import { type CostQuery, parseCostQuery } from '../shared/domain/cost-query.ts';
import { summarizeCosts } from '../shared/domain/cost-summary.ts';
import { invalidRequest } from '../shared/domain/gateway-error.ts';
import { answerBytes, highestAnswerBytes } from '../shared/http/answer-size.ts';
import type { JsonEndpoint } from '../shared/http/json-endpoint.ts';
import { costSummaryJson } from './cost-json.ts';
import type { CostSources } from './cost-reading.ts';
import { readCosts } from './read-costs.ts';

export interface CostLimits {
  /** Sums and entries that an answer may read: 15 MB of sums, or 50 MB where all are entries, and a few seconds. */
  highestItems: number;
  highestBytes: number;
}

export const costLimits: CostLimits = { highestItems: 50_000, highestBytes: highestAnswerBytes };

export function createCostsEndpoint(sources: CostSources, limits: CostLimits = costLimits): JsonEndpoint {
  return async ({ organizationId, query: parameters }) => {
    const query = parseCostQuery(parameters, sources.now());
    const budget = createCostBudget(query, limits.highestItems);
    const summary = summarizeCosts(query, await readCosts(sources, { organizationId, query, budget }));
    const answer = costSummaryJson(summary);
    if (answerBytes(answer) > limits.highestBytes) throw tooLong(query);
    return answer;
  };
}

function tooLong({ groupBy, interval }: CostQuery) {
  const closer = 'take a start and an end that are closer together';
  return groupBy !== null && interval !== null
    ? invalidRequest('limit', `The answer would be too long: take a lower limit, or ${closer}`)
    : invalidRequest('start', `The answer would be too long: ${closer}, or a provider`);
}
