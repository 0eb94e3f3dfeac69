import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Swatch } from '#dashboard/charts/frame/legend.tsx';
import { useGroupLook } from '#dashboard/charts/group-look.ts';
import { useOpenRequests } from '#dashboard/charts/open-requests.ts';
import { ReportChart, ReportChartSkeleton } from '#dashboard/charts/report-chart.tsx';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { Fact } from '#dashboard/components/facts.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Card, Section } from '#dashboard/components/section.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import {
  FigureTable,
  FigureTableSkeleton,
  GroupLabel,
  meanCostColumn,
  metricColumn,
  otherRow,
  spendColumn,
} from '#dashboard/metrics/figure-table.tsx';
import { metrics } from '#dashboard/metrics/metrics.ts';
import { UncertaintyMark } from '#dashboard/metrics/uncertainty-mark.tsx';
import { useRangeSearch } from '#dashboard/range/range-bar.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';

/** The figures of a key in the range. */
export function KeyFigures({ query }: { query: UseQueryResult<CostReport> }) {
  return (
    <Card>
      <QueryPanel query={query} skeleton={<Skeleton className="m-5 h-13" />}>
        {({ totals }) => (
          <dl
            aria-label="Figures"
            className="grid grid-cols-2 gap-x-8 gap-y-4 p-5 sm:grid-cols-3 lg:grid-cols-6"
          >
            <Fact look="figure" label="Spend">
              <span className="inline-flex items-center gap-1.5">
                <UncertaintyMark sum={totals} />
                <Usd amount={totals.cost_usd} />
              </span>
            </Fact>
            <Fact look="figure" label="Requests">
              {formatCount(totals.requests)}
            </Fact>
            <Fact look="figure" label="Rejected">
              {totals.rejected_requests === null ? '–' : formatCount(totals.rejected_requests)}
            </Fact>
            <Fact look="figure" label="Error rate">
              {metrics.error_rate.textOf(totals)}
            </Fact>
            <Fact look="figure" label="Tokens">
              {metrics.tokens.textOf(totals)}
            </Fact>
            <Fact look="figure" label="Latency p95">
              {metrics.latency_p95.textOf(totals)}
            </Fact>
          </dl>
        )}
      </QueryPanel>
    </Card>
  );
}

interface KeyUseProps {
  /** By model, over time. */
  query: UseQueryResult<CostReport>;
  keyId: string;
}

/** The spend of a key over time, and the figures of the models that it calls. */
export function KeyUse({ query, keyId }: KeyUseProps) {
  const { id: organizationId } = useOrganization();
  const rangeSearch = useRangeSearch();
  return (
    <>
      <Section
        title="Spend by model"
        action={
          <Link
            to="/organizations/$organizationId/usage"
            params={{ organizationId }}
            search={{ ...rangeSearch, api_key_id: keyId }}
            className={buttonClasses({ size: 'small' })}
          >
            Show in usage
          </Link>
        }
      >
        <QueryPanel query={query} skeleton={<ReportChartSkeleton />}>
          {(report) => <SpendChart report={report} keyId={keyId} />}
        </QueryPanel>
      </Section>
      <Section title="Models" description="The figures of the requests of this key to each model.">
        <QueryPanel query={query} skeleton={<FigureTableSkeleton rows={4} />}>
          {(report) => <ModelTable report={report} keyId={keyId} />}
        </QueryPanel>
      </Section>
    </>
  );
}

function SpendChart({ report, keyId }: { report: CostReport; keyId: string }) {
  const look = useGroupLook(report);
  const openRequests = useOpenRequests({ api_key_id: keyId });
  return (
    <ReportChart label="Spend by model" report={report} metric="cost" look={look} onSelect={openRequests} />
  );
}

const columns = [
  spendColumn,
  metricColumn('requests'),
  metricColumn('error_rate'),
  meanCostColumn,
  metricColumn('latency_p50'),
  metricColumn('latency_p95'),
];

function ModelTable({ report, keyId }: { report: CostReport; keyId: string }) {
  const { id: organizationId } = useOrganization();
  const rangeSearch = useRangeSearch();
  const look = useGroupLook(report);
  if (report.groups.length === 0) {
    return <p className="px-5 py-4 text-muted">No requests in this range.</p>;
  }
  const rows = report.groups.map(({ value, totals }, index) => ({
    key: value ?? '',
    name: (
      <span className="flex min-w-0 items-center gap-2.5">
        <Swatch colour={look.colour(value, index)} />
        {value === null ? (
          <GroupLabel value={null} name={look.name(null)} />
        ) : (
          <Link
            to="/organizations/$organizationId/logs"
            params={{ organizationId }}
            search={{ ...rangeSearch, api_key_id: keyId, model: value }}
            className="block min-w-0 rounded-sm underline-offset-3 hover:underline"
          >
            <GroupLabel value={value} name={value} />
          </Link>
        )}
      </span>
    ),
    totals,
  }));
  return (
    <FigureTable
      label="Models"
      nameTitle="Model"
      columns={columns}
      rows={[...rows, ...otherRow(report.other, <Swatch colour="other" />)]}
    />
  );
}
