import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { ModelFigures, ModelSpendChart } from '#dashboard/charts/model-report.tsx';
import { ReportChartSkeleton } from '#dashboard/charts/report-chart.tsx';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { BackLink, Page } from '#dashboard/components/page.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { withCodes } from '#dashboard/components/values/foreign-text.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import {
  FigureTableSkeleton,
  meanCostColumn,
  metricColumn,
  spendColumn,
} from '#dashboard/metrics/figure-table.tsx';
import { parseGroupList } from '#dashboard/metrics/group-list/order.ts';
import { Completeness } from '#dashboard/range/completeness.tsx';
import { parseRangeSearch } from '#dashboard/range/range.ts';
import { RangeBar, useRange } from '#dashboard/range/range-bar.tsx';
import { costParameters, usageSettings } from '#dashboard/usage/settings.ts';

/** A prompt's spend over time, and how the models that it is sent to compare. */
export function PromptPage({ promptId }: { promptId: string }) {
  const { id: organizationId } = useOrganization();
  const range = useRange();
  const settings = usageSettings({ prompt_id: promptId, group: 'model', top: '20' }, range);
  const report = useQuery(costsQuery(organizationId, costParameters(settings, range)));
  return (
    <Page
      title={withCodes(promptId)}
      back={
        <BackLink
          link={
            <Link
              to="/organizations/$organizationId/prompts"
              params={{ organizationId }}
              search={(search) => ({
                ...parseRangeSearch({ ...search }),
                ...parseGroupList({ ...search }),
              })}
            />
          }
        >
          Prompts
        </BackLink>
      }
      description={<Completeness queries={[report]} />}
      action={
        <div className="flex flex-wrap gap-2">
          <Link
            to="/organizations/$organizationId/logs"
            params={{ organizationId }}
            search={(search) => ({ ...parseRangeSearch({ ...search }), prompt_id: promptId })}
            className={buttonClasses()}
          >
            Show in logs
          </Link>
          <RangeBar />
        </div>
      }
      wide
    >
      <Section title="Spend by model">
        <QueryPanel query={report} skeleton={<ReportChartSkeleton />}>
          {(data) => <ModelSpendChart report={data} conditions={{ prompt_id: promptId }} />}
        </QueryPanel>
      </Section>
      <Section
        title="Models compared"
        description="The figures of this prompt’s requests to each model, the highest cost first."
      >
        <QueryPanel query={report} skeleton={<FigureTableSkeleton rows={4} />}>
          {(data) => (
            <ModelFigures
              label="Models compared"
              report={data}
              conditions={{ prompt_id: promptId }}
              columns={columns}
              total={{ key: 'all', name: 'All models', totals: data.totals, isTotal: true }}
            />
          )}
        </QueryPanel>
      </Section>
    </Page>
  );
}

const columns = [
  metricColumn('requests'),
  spendColumn,
  meanCostColumn,
  metricColumn('error_rate'),
  metricColumn('latency_p50'),
  metricColumn('latency_p95'),
  metricColumn('first_token_p50'),
  metricColumn('first_token_p95'),
];
