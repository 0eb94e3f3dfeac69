/** Costs as the API shows them. */
import type { GroupList } from '../shared/domain/cost-groups.ts';
import { type GroupBy, groupFields } from '../shared/domain/cost-query.ts';
import type { CostSummary } from '../shared/domain/cost-summary.ts';
import { totalsJson } from '../shared/http/totals-json.ts';
import { usdJson } from '../shared/http/usd-json.ts';

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
