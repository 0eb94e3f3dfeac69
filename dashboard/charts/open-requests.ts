import { useNavigate } from '@tanstack/react-router';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { LogsSearch } from '#dashboard/filters/logs-search.ts';
import { useRangeSearch } from '#dashboard/range/range-bar.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import type { ChartSelection } from './chart.ts';
import { groupOf } from './report-series.ts';

/**
 * Returns the `onSelect` of a chart of spend by model: it opens the logs with the model's requests of the period, the most
 * expensive first; with those of all models for the rest.
 */
export function useOpenRequests(conditions: Pick<LogsSearch, 'prompt_id' | 'api_key_id'> = {}) {
  const { id: organizationId } = useOrganization();
  const { time_zone: timeZone } = useRangeSearch();
  const navigate = useNavigate();
  return ({ period: { start, end }, seriesId }: ChartSelection) =>
    navigate({
      to: '/organizations/$organizationId/logs',
      params: { organizationId },
      search: {
        ...conditions,
        model: groupOf(seriesId)?.value ?? undefined,
        start,
        end,
        time_zone: timeZone,
        sort: 'cost_usd',
      },
    });
}

/** The `selectHint` of these charts. */
export function openRequestsHint({ interval }: Pick<CostReport, 'interval'>): string {
  return `Click for the requests of this ${interval ?? 'day'}`;
}
