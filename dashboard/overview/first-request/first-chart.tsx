import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { costsQuery, costsReloadMs } from '#dashboard/api/analytics.ts';
import { useModelColours } from '#dashboard/charts/model-colours.ts';
import { ReportChart, ReportChartSkeleton } from '#dashboard/charts/report-chart.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { resolveRange } from '#dashboard/range/range.ts';
import { firstRequestPollMs } from '../use-has-requests.ts';

/** The spend of the last hour, as soon as the first request is counted, about a second after it is logged. */
export function FirstChart() {
  const { id: organizationId } = useOrganization();
  // From when the chart appears: the first request is within it.
  const [range] = useState(() => resolveRange({ range: '1h' }, new Date()));
  const colour = useModelColours();
  const report = useQuery({
    ...costsQuery(organizationId, { ...range.bounds, interval: 'minute', group_by: 'model', limit: 8 }),
    refetchInterval: ({ state }) => (state.data?.totals.requests ? costsReloadMs : firstRequestPollMs),
  });
  if (!report.data?.totals.requests) return <ReportChartSkeleton />;
  return (
    <ReportChart
      label="Spend by model in the last hour"
      report={report.data}
      metric="cost"
      look={{ name: (model) => model ?? 'No model', colour }}
    />
  );
}
