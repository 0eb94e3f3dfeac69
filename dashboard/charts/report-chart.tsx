import { Suspense } from 'react';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { type MetricName, metrics } from '#dashboard/metrics/metrics.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import type { ChartSelection } from './chart.ts';
import { type GroupLook, reportSeries, reportTotals } from './report-series.ts';
import { StackedBars } from './stacked-bars.tsx';

interface ReportChartProps {
  /** The accessible name. */
  label: string;
  report: CostReport;
  metric: MetricName;
  look: GroupLook;
  onSelect?: (selection: ChartSelection) => void;
  selectHint?: string;
}

const chartHeight = 280;

const Lines = lazyComponent(() => import('./lines.tsx'), 'Lines');

/** A report over time: stacked bars for metrics that add up, lines for others. */
export function ReportChart(props: ReportChartProps) {
  const { label, report, metric: metricName, look, onSelect, selectHint } = props;
  const metric = metrics[metricName];
  const Chart = metric.isSum ? StackedBars : Lines;
  return (
    <Suspense fallback={<ReportChartSkeleton />}>
      <div className="px-5 py-4">
        <Chart
          label={label}
          periods={report.series}
          interval={report.interval ?? 'day'}
          timeZone={report.time_zone}
          series={reportSeries(report, metric, look)}
          totals={report.group_by === null ? undefined : reportTotals(report, metric)}
          formatAxis={metric.formatAxis}
          areDurations={metric.isDuration}
          height={chartHeight}
          onSelect={onSelect}
          selectHint={selectHint}
        />
      </div>
    </Suspense>
  );
}

/** With a legend of one line. */
export function ReportChartSkeleton() {
  return (
    <div className="px-5 py-4">
      <Skeleton className="h-86 w-full" />
    </div>
  );
}
