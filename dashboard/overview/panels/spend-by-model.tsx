import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useGroupLook } from '#dashboard/charts/group-look.ts';
import { openRequestsHint, useOpenRequests } from '#dashboard/charts/open-requests.ts';
import { reportSeries } from '#dashboard/charts/report-series.ts';
import { StackedBars } from '#dashboard/charts/stacked-bars.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { metrics } from '#dashboard/metrics/metrics.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { useComparedSearch } from '../compared-search.ts';
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
          search={useComparedSearch()}
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
  const openRequests = useOpenRequests();
  const look = useGroupLook(report);
  return (
    <StackedBars
      label="Spend by model"
      periods={report.series}
      interval={report.interval ?? 'day'}
      timeZone={report.time_zone}
      series={reportSeries(report, metrics.cost, look)}
      totals={report.series.map(({ totals }) => metrics.cost.textOf(totals))}
      formatAxis={metrics.cost.formatAxis}
      height={280}
      onSelect={openRequests}
      selectHint={openRequestsHint(report)}
    />
  );
}
