import { type QueryClient, useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { costsQuery } from '#dashboard/api/analytics.ts';
import type { ChartSelection } from '#dashboard/charts/chart.ts';
import { useGroupLook } from '#dashboard/charts/group-look.ts';
import { ReportChart, ReportChartSkeleton } from '#dashboard/charts/report-chart.tsx';
import type { GroupLook } from '#dashboard/charts/report-series.ts';
import { useShown } from '#dashboard/components/feedback/old-content.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { Page } from '#dashboard/components/page.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { FigureTableSkeleton } from '#dashboard/metrics/figure-table.tsx';
import { groupTitles } from '#dashboard/metrics/groups.ts';
import { metrics } from '#dashboard/metrics/metrics.ts';
import { Completeness } from '#dashboard/range/completeness.tsx';
import { type Range, resolveRange } from '#dashboard/range/range.ts';
import { RangeBar, useRange } from '#dashboard/range/range-bar.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { ChosenPoint } from './chosen-point.tsx';
import { comparisonQuery } from './comparison/choice.ts';
import { GroupTable } from './group-table.tsx';
import { usageRoute } from './route.ts';
import type { UsageSearch } from './search.ts';
import { chartTop, costParameters, type UsageSettings, usageSettings } from './settings.ts';
import { ExportButton, Toolbar } from './toolbar.tsx';

const ComparisonSection = lazyComponent(
  () => import('./comparison/comparison-section.tsx'),
  'ComparisonSection',
);

/** Loads the report before the organization is known, whose views come after it. */
export function loadUsage(queryClient: QueryClient, organizationId: string, search: UsageSearch): void {
  const range = resolveRange(search, new Date());
  const settings = usageSettings(search, range);
  const reports = hasMoreRows(settings) ? [true, false] : [true];
  for (const withInterval of reports) {
    const parameters = costParameters(settings, range, withInterval);
    void queryClient.prefetchQuery(costsQuery(organizationId, parameters));
  }
}

export function UsageView() {
  const { id: organizationId } = useOrganization();
  const search = usageRoute.useSearch();
  const range = useRange();
  const settings = usageSettings(search, range);
  const overTime = useQuery(costsQuery(organizationId, costParameters(settings, range)));
  // The report over time has the sums of the whole range too, but more ranges are too long for it.
  const sums = useQuery({
    ...costsQuery(organizationId, costParameters(settings, range, false)),
    enabled: overTime.isError || hasMoreRows(settings),
  });
  const table = overTime.isError || hasMoreRows(settings) ? sums : overTime;
  const chosen = { id: choiceId(settings, range), settings, title: range.title };
  const comparison = comparisonQuery(search, range);
  const inChart = useShown(chosen, overTime);
  const inTable = useShown(chosen, table);
  return (
    <Page title="Usage" description={<Completeness queries={[table]} />} action={<RangeBar />} wide>
      <Toolbar settings={settings} range={range} compare={search.compare ?? 'none'} />
      {comparison !== null && (
        <Suspense
          fallback={
            <Section title={`${metrics[settings.metric].title} compared`}>
              <FigureTableSkeleton rows={8} />
            </Section>
          }
        >
          <ComparisonSection {...{ settings, range, search, comparison }} />
        </Suspense>
      )}
      <Section
        title={chartTitle(inChart.shown.settings)}
        description={rankingText(inChart.shown, overTime.data)}
        action={<ExportButton report={overTime.data} />}
      >
        <QueryPanel query={overTime} isOld={inChart.isOld} skeleton={<ReportChartSkeleton />}>
          {(report) => <UsageChart report={report} settings={inChart.shown.settings} search={search} />}
        </QueryPanel>
      </Section>
      <Section title={tableTitle(inTable.shown.settings, table.data)}>
        <QueryPanel
          query={table}
          isOld={inTable.isOld}
          skeleton={<FigureTableSkeleton rows={chartTop(settings)} />}
        >
          {(report) => <UsageTable report={report} settings={inTable.shown.settings} search={search} />}
        </QueryPanel>
      </Section>
    </Page>
  );
}

/** Whether the table has groups that the chart has not. */
function hasMoreRows(settings: UsageSettings): boolean {
  return settings.group !== null && Number(settings.top) > chartTop(settings);
}

/** Identifies what is loaded, which does not depend on the metric. */
function choiceId({ metric: _, ...loaded }: UsageSettings, range: Range): string {
  return JSON.stringify([range.id, loaded]);
}

function chartTitle({ metric, group }: UsageSettings): string {
  const { title } = metrics[metric];
  return group === null ? title : `${title} by ${groupTitles[group].one}`;
}

function tableTitle(settings: UsageSettings, report: CostReport | undefined): string {
  const { group } = settings;
  if (group === null) return 'All requests';
  const { many } = groupTitles[group];
  const hasAll = hasMoreRows(settings) && report?.group_by === group && report.other === null;
  return hasAll ? `All ${many}` : `Top ${many}`;
}

interface Shown {
  settings: UsageSettings;
  /** The title of the range. */
  title: string;
}

/** The groups that are shown are the same for every metric. */
function rankingText({ settings, title }: Shown, report: CostReport | undefined): string {
  const { group } = settings;
  if (group === null) return `${title}: all requests that match the filters.`;
  const isComplete =
    report !== undefined && report.group_by === group && report.groups.length > 0 && report.other === null;
  const { many } = groupTitles[group];
  const [most, order] =
    group === 'error_code' ? ['the most requests', 'requests'] : ['the highest spend', 'spend'];
  return `${title}: ${isComplete ? `all ${many}, by ${order}.` : `the ${chartTop(settings)} ${many} with ${most}.`}`;
}

interface ReportProps {
  report: CostReport;
  settings: UsageSettings;
  search: UsageSearch;
}

function UsageChart({ report, settings, search }: ReportProps) {
  const navigate = usageRoute.useNavigate();
  const look = useGroupLook(report);
  const choose = ({ period, seriesId }: ChartSelection) =>
    navigate({
      search: (current) => ({ ...current, point: period.start, series: seriesId ?? undefined }),
      resetScroll: false,
    });
  return (
    <>
      <ReportChart
        label={chartTitle({ ...settings, group: report.group_by })}
        report={report}
        metric={settings.metric}
        look={look}
        onSelect={choose}
        selectHint={`Click for the figures and requests of this ${report.interval ?? 'day'}`}
      />
      <ChosenPoint report={report} look={look} settings={settings} search={search} />
    </>
  );
}

function UsageTable({ report, settings, search }: ReportProps) {
  const look = useGroupLook(report);
  const inChart = chartTop(settings);
  const colour: GroupLook['colour'] = (value, index) =>
    index < inChart ? look.colour(value, index) : 'other';
  return <GroupTable report={report} look={{ ...look, colour }} search={search} filters={settings.filters} />;
}
