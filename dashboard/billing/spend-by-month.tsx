import { useQuery } from '@tanstack/react-query';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { useModelColours } from '#dashboard/charts/model-colours.ts';
import { reportSeries } from '#dashboard/charts/report-series.ts';
import { StackedBars } from '#dashboard/charts/stacked-bars.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { metrics } from '#dashboard/metrics/metrics.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { monthOf } from './months.ts';

interface SpendByMonthProps {
  /** The newest first. */
  months: readonly string[];
  onMonthChange: (month: string) => void;
}

/** The costs by month and model, which the list of statements shares. */
export function monthlyCostsQuery(organizationId: string, months: readonly string[]) {
  return costsQuery(organizationId, {
    start: `${months.at(-1)}-01`,
    interval: 'month',
    group_by: 'model',
    limit: 8,
  });
}

export function SpendByMonth({ months, onMonthChange }: SpendByMonthProps) {
  const { id: organizationId } = useOrganization();
  const costs = useQuery(monthlyCostsQuery(organizationId, months));
  return (
    <Section
      title="Spend by month"
      description="The last 12 months by model, in UTC. Choose one for its details."
    >
      <div className="p-5">
        <QueryPanel query={costs} skeleton={<Skeleton className="h-75 w-full" />}>
          {(report) => <Chart report={report} onMonthChange={onMonthChange} />}
        </QueryPanel>
      </div>
    </Section>
  );
}

interface ChartProps extends Pick<SpendByMonthProps, 'onMonthChange'> {
  report: CostReport;
}

function Chart({ report, onMonthChange }: ChartProps) {
  const colourOf = useModelColours();
  const series = reportSeries(report, metrics.cost, {
    name: (model) => model ?? 'Unknown model',
    colour: (model) => colourOf(model),
  });
  return (
    <StackedBars
      label="Spend by month and model"
      periods={report.series}
      interval="month"
      timeZone="UTC"
      series={series}
      totals={report.series.map(({ totals }) => metrics.cost.textOf(totals))}
      formatAxis={metrics.cost.formatAxis}
      height={240}
      selectHint="Click for the details of this month"
      onSelect={({ period }) => onMonthChange(monthOf(new Date(period.start)))}
    />
  );
}
