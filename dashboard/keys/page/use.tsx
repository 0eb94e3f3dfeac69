import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ModelFigures, ModelSpendChart } from '#dashboard/charts/model-report.tsx';
import { ReportChartSkeleton } from '#dashboard/charts/report-chart.tsx';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { Fact } from '#dashboard/components/facts.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Card, Section } from '#dashboard/components/section.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import {
  FigureTableSkeleton,
  meanCostColumn,
  metricColumn,
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
          {(report) => <ModelSpendChart report={report} conditions={{ api_key_id: keyId }} />}
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

const columns = [
  spendColumn,
  metricColumn('requests'),
  metricColumn('error_rate'),
  meanCostColumn,
  metricColumn('latency_p50'),
  metricColumn('latency_p95'),
];

function ModelTable({ report, keyId }: { report: CostReport; keyId: string }) {
  if (report.groups.length === 0) {
    return <p className="px-5 py-4 text-muted">No requests in this range.</p>;
  }
  return <ModelFigures label="Models" report={report} conditions={{ api_key_id: keyId }} columns={columns} />;
}
