/** `GET /api/costs`: the costs of an organization's requests, by model, by caller metadata and over time. */
import type { JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import type { Totals } from '#lambdas/costs/rollups/totals.ts';
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { maxResponseBytes, responseBytes } from '#lambdas/platform/http/payload-limits.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import type { GroupList } from './groups.ts';
import { planCosts } from './plan.ts';
import { type CostQuery, type GroupBy, groupFields, parseCostQuery } from './query.ts';
import { type CostDependencies, readCosts } from './read.ts';
import { type CostSummary, summarizeCosts } from './summary.ts';

export function createCostsEndpoint(dependencies: CostDependencies): JsonEndpoint {
  return async ({ organizationId, query: parameters }) => {
    const now = dependencies.now();
    const query = parseCostQuery(parameters, now);
    const plan = planCosts(query, now);
    const costs = await readCosts(dependencies, organizationId, query, plan);
    const summary = costSummaryJson(summarizeCosts(query, costs));
    if (responseBytes(summary) > maxResponseBytes) throw responseTooLarge(query);
    return summary;
  };
}

export function costSummaryJson({ totals, byModel, window, grouping, series }: CostSummary) {
  const { requests, cost_usd, input_tokens, output_tokens, unpriced_requests } = totals;
  const { assumed_requests, assumed_cost_usd } = totals;
  return {
    total_requests: requests,
    total_cost_usd: usdJson(cost_usd),
    total_input_tokens: input_tokens,
    total_output_tokens: output_tokens,
    unpriced_requests,
    assumed_requests,
    assumed_cost_usd: usdJson(assumed_cost_usd),
    by_model: Object.fromEntries(Object.entries(byModel).map(([model, sums]) => [model, totalsJson(sums)])),
    window: { start: window.start, end: window.end, rounded_to: window.roundedTo },
    ...(grouping !== null && { group_by: grouping.by, ...groupsJson(grouping, grouping.by) }),
    ...(series !== null && {
      interval: series.interval,
      series: series.elements.map(({ start, end, totals: sums, groups }) => ({
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

function totalsJson(totals: Totals) {
  return {
    requests: totals.requests,
    cost_usd: usdJson(totals.cost_usd),
    input_tokens: totals.input_tokens,
    output_tokens: totals.output_tokens,
    unpriced_requests: totals.unpriced_requests,
    assumed_requests: totals.assumed_requests,
    assumed_cost_usd: usdJson(totals.assumed_cost_usd),
  };
}

function responseTooLarge({ groupBy, interval }: CostQuery) {
  return groupBy !== null && interval !== null
    ? invalidRequest('limit', 'The response would be too large: lower limit, or choose a shorter window')
    : invalidRequest(
        'start',
        'The response would be too large: choose a shorter window, or filter by provider',
      );
}
