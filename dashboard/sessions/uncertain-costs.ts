import type { UncertainSum } from '#dashboard/metrics/uncertainty.ts';
import type { CallerSessionRequest } from '#lambdas/accounts/analytics/responses.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import {
  uncertainCosts,
  uncertainRequests,
  uncertainShare,
  uncertaintyOf,
} from '#lambdas/request-log/uncertainty.ts';

const nothing = { ...uncertainRequests(null), ...uncertainCosts(null, '0') };

/** Returns the uncertain part of each cumulative cost, with an exact sum like the server's. */
export function cumulativeUncertainty(
  requests: readonly Pick<
    CallerSessionRequest,
    'pricing' | 'usage_source' | 'cost_usd' | 'cumulative_cost_usd'
  >[],
): Required<UncertainSum>[] {
  let sum = nothing;
  return requests.map((request) => {
    const uncertainty = uncertaintyOf(request);
    const own = { ...uncertainRequests(uncertainty), ...uncertainCosts(uncertainty, request.cost_usd) };
    sum = {
      unpriced_requests: sum.unpriced_requests + own.unpriced_requests,
      assumed_requests: sum.assumed_requests + own.assumed_requests,
      assumed_cost_usd: addUsd(sum.assumed_cost_usd, own.assumed_cost_usd),
      estimated_requests: sum.estimated_requests + own.estimated_requests,
      estimated_cost_usd: addUsd(sum.estimated_cost_usd, own.estimated_cost_usd),
    };
    const { assumed_cost_usd, estimated_cost_usd, ...counts } = sum;
    const costs = { cost_usd: request.cumulative_cost_usd, assumed_cost_usd, estimated_cost_usd };
    return { ...counts, uncertain_cost_share: uncertainShare(costs) };
  });
}
