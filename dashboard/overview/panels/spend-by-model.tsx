import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ChartSelection } from '#dashboard/charts/chart.ts';
import { useModelColours } from '#dashboard/charts/model-colours.ts';
import { type GroupLook, reportSeries } from '#dashboard/charts/report-series.ts';
import { StackedBars } from '#dashboard/charts/stacked-bars.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { metrics } from '#dashboard/metrics/metrics.ts';
import { useRangeSearch } from '#dashboard/range/range-bar.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { panelLinkClasses } from './panel-link.ts';

interface SpendByModelProps {
  query: UseQueryResult<CostReport>;
  /** Whether the report is that of another range. */
  isOld: boolean;
}

export function SpendByModel({ query, isOld }: SpendByModelProps) {
  const { id: organizationId } = useOrganization();
  return (
    <Section
      title="Spend by model"
      action={
        <Link
          to="/organizations/$organizationId/usage"
          params={{ organizationId }}
          search={useRangeSearch()}
          className={panelLinkClasses}
        >
          Explore
        </Link>
      }
    >
      <div className="p-5">
        <QueryPanel query={query} isOld={isOld} skeleton={<Skeleton className="h-86 w-full" />}>
          {(report) => <SpendChart report={report} />}
        </QueryPanel>
      </div>
    </Section>
  );
}

function SpendChart({ report }: { report: CostReport }) {
  const { id: organizationId } = useOrganization();
  const { time_zone: timeZone } = useRangeSearch();
  const navigate = useNavigate();
  const look: GroupLook = { name: (model) => model ?? 'No model', colour: useModelColours() };
  const series = reportSeries(report, metrics.cost, look);

  /** A model's requests of the period, the most expensive first; those of all models for the rest. */
  const openLogs = ({ period: { start, end }, seriesId }: ChartSelection) => {
    const model = series.find(({ id }) => id === seriesId)?.name;
    const isModel = report.groups.some(({ value }) => value === model);
    return navigate({
      to: '/organizations/$organizationId/logs',
      params: { organizationId },
      search: { model: isModel ? model : undefined, start, end, time_zone: timeZone, sort: 'cost_usd' },
    });
  };

  return (
    <StackedBars
      label="Spend by model"
      periods={report.series}
      interval={report.interval ?? 'day'}
      timeZone={report.time_zone}
      series={series}
      totals={report.series.map(({ totals }) => metrics.cost.textOf(totals))}
      formatAxis={metrics.cost.formatAxis}
      height={280}
      onSelect={openLogs}
    />
  );
}
