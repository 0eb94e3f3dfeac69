/** `GET /api/costs`: what an organization's requests cost, by model, by what callers attached, and over time. */

import type { JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import type { Totals } from '../rollups/totals.ts';
import { createCostBudget } from './plan.ts';
import { type CostQuery, type GroupBy, groupFields, parseCostQuery } from './query.ts';
import { type CostSources, readCosts } from './read.ts';
import { type CostSummary, type GroupList, summarizeCosts } from './summary.ts';
export interface CostLimits {
  /** Sums and entries that an answer may read: 15 MB of sums, or 50 MB where all are entries, and a few seconds. */
  highestItems: number;
  highestBytes: number;
}

export const costLimits: CostLimits = { highestItems: 50_000, highestBytes: maxResponseBytes };

export function createCostsEndpoint(sources: CostSources, limits: CostLimits = costLimits): JsonEndpoint {
  return async ({ organizationId, query: parameters }) => {
    const query = parseCostQuery(parameters, sources.now());
    const budget = createCostBudget(query, limits.highestItems);
    const summary = summarizeCosts(query, await readCosts(sources, { organizationId, query, budget }));
    const answer = costSummaryJson(summary);
    if (responseBytes(answer) > limits.highestBytes) throw tooLong(query);
    return answer;
  };
}

function tooLong({ groupBy, interval }: CostQuery) {
  const closer = 'take a start and an end that are closer together';
  return groupBy !== null && interval !== null
    ? invalidRequest('limit', `The answer would be too long: take a lower limit, or ${closer}`)
    : invalidRequest('start', `The answer would be too long: ${closer}, or a provider`);
}

// Costs as the API shows them.

export function costSummaryJson({ totals, byModel, window, grouping, series }: CostSummary) {
  const { requests, cost_usd, input_tokens, output_tokens, unpriced_requests } = totals;
  return {
    total_requests: requests,
    total_cost_usd: usdJson(cost_usd),
    total_input_tokens: input_tokens,
    total_output_tokens: output_tokens,
    unpriced_requests,
    by_model: Object.fromEntries(Object.entries(byModel).map(([model, sums]) => [model, totalsJson(sums)])),
    window: { start: window.start, end: window.end, rounded_to: window.roundedTo },
    ...(grouping !== null && { group_by: grouping.by, ...groupsJson(grouping, grouping.by) }),
    ...(series !== null && {
      interval: series.interval,
      series: series.elements.map(({ start, end, totals: sums, grouping: groups }) => ({
        start,
        end,
        ...totalsJson(sums),
        ...(groups !== null && grouping !== null && groupsJson(groups, grouping.by)),
      })),
    }),
  };
}

function groupsJson({ groups, other }: GroupList, groupBy: GroupBy) {
  return {
    groups: groups.map(({ value, totals }) => ({ [groupFields[groupBy]]: value, ...totalsJson(totals) })),
    other: other === null ? null : { groups: other.groups, ...totalsJson(other.totals) },
  };
}

// Sums as the API shows them.

export function totalsJson({ requests, cost_usd, input_tokens, output_tokens, unpriced_requests }: Totals) {
  return { requests, cost_usd: usdJson(cost_usd), input_tokens, output_tokens, unpriced_requests };
}
