import type { ChartPeriod, ChartSeries, Colour } from '#dashboard/charts/chart.ts';
import { StackedBars } from '#dashboard/charts/stacked-bars.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { type OutcomeTone, outcomeLooks } from '#dashboard/components/request/outcome.ts';
import { Card, Heading } from '#dashboard/components/section.tsx';
import { formatCompact, formatCount } from '#dashboard/components/values/number-format.ts';
import { type ConditionName, conditionTitle } from '#dashboard/filters/fields.ts';
import { useRange } from '#dashboard/range/range-bar.tsx';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import type { Outcome } from '#lambdas/request-log/entry.ts';
import type { RequestsReport } from './requests-report.ts';

interface RequestsChartProps {
  report: RequestsReport;
  onNarrow: (period: ChartPeriod) => void;
}

const chartHeight = 152;

/** The number of requests over time, with those that failed. */
export function RequestsChart({ report: { query, outcome, omitted }, onNarrow }: RequestsChartProps) {
  const { timeZone, interval } = useRange();
  return (
    <Card>
      <section aria-label="Requests over time" className="px-5 pt-4 pb-3">
        <div className="flex min-h-6 flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
          <Heading className="flex flex-wrap items-baseline gap-x-3">
            Requests
            {query.data && <Totals totals={query.data.totals} outcome={outcome} />}
          </Heading>
          {omitted.length > 0 && <p className="text-[0.8125rem] text-muted">{omittedText(omitted)}</p>}
        </div>
        {/* The height of the chart and its legend, which an empty one does not have. */}
        <div className="min-h-54">
          <QueryPanel query={query} skeleton={<Skeleton className="h-54 w-full" />}>
            {(data) => (
              <StackedBars
                label="Requests over time"
                periods={data.series}
                interval={data.interval ?? interval}
                timeZone={timeZone}
                series={seriesOf(data, outcome)}
                totals={data.series.map(({ totals }) => formatCount(requestsOf(totals, outcome)))}
                formatAxis={formatCompact}
                height={chartHeight}
                selectHint="Click or drag to show only this time"
                onSelect={({ period }) => onNarrow(period)}
                onBrush={onNarrow}
              />
            )}
          </QueryPanel>
        </div>
      </section>
    </Card>
  );
}

function Totals({ totals, outcome }: { totals: CostTotals; outcome: Outcome | null }) {
  return (
    <span className="text-[0.8125rem] font-normal tracking-normal text-muted tabular-nums">
      {totalsText(totals, outcome)}
    </span>
  );
}

export function totalsText(totals: CostTotals, outcome: Outcome | null): string {
  const count = formatCount(requestsOf(totals, outcome));
  if (outcome !== null) return count;
  const rejected = totals.rejected_requests ?? 0;
  const errors = totals.error_requests > 0 ? ` · ${countText(totals.error_requests, 'error')}` : '';
  return `${count}${errors}${rejected > 0 ? ` · ${formatCount(rejected)} rejected` : ''}`;
}

function countText(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : `${noun}s`}`;
}

export function omittedText(omitted: readonly ConditionName[]): string {
  const titles = omitted.map((name) =>
    conditionTitle(name)
      .toLowerCase()
      .replace(/\bid\b/, 'ID'),
  );
  return `The chart leaves out: ${titles.join(', ')}`;
}

const withoutErrors = ({ requests, error_requests }: CostTotals) => requests - error_requests;

const countsOfOutcomes: Record<Outcome, (totals: CostTotals) => number> = {
  completed: (totals) => withoutErrors(totals) - totals.client_closed_requests,
  client_closed: (totals) => totals.client_closed_requests,
  provider_error: (totals) => totals.provider_error_requests,
  timeout: (totals) => totals.timeout_requests,
  interrupted: (totals) => totals.interrupted_requests,
  rejected: (totals) => totals.rejected_requests ?? 0,
};

const coloursOfTones: Record<OutcomeTone, Colour> = {
  success: 0,
  neutral: 0,
  danger: 'error',
  warning: 'other',
};

/** Without an outcome, those that reached a provider. */
function requestsOf(totals: CostTotals, outcome: Outcome | null): number {
  return outcome === null ? totals.requests : countsOfOutcomes[outcome](totals);
}

/** Rejected requests are in no total, and known only by error code. */
export function seriesOf({ series, totals }: CostReport, outcome: Outcome | null): ChartSeries[] {
  const toSeries = (
    id: string,
    name: string,
    colour: ChartSeries['colour'],
    countOf: (totals: CostTotals) => number,
  ): ChartSeries => {
    const values = series.map((period) => countOf(period.totals));
    return { id, name, colour, values, texts: values.map((value) => formatCount(value)) };
  };
  if (outcome !== null) {
    if (requestsOf(totals, outcome) === 0) return [];
    const { title, tone } = outcomeLooks[outcome];
    return [toSeries(outcome, title, coloursOfTones[tone], countsOfOutcomes[outcome])];
  }
  if (totals.requests === 0 && !totals.rejected_requests) return [];
  return [
    toSeries('without_errors', 'Without errors', 0, withoutErrors),
    toSeries('errors', 'Errors', 'error', ({ error_requests }) => error_requests),
    ...(totals.rejected_requests === null
      ? []
      : [toSeries('rejected', 'Rejected', 'other', ({ rejected_requests }) => rejected_requests ?? 0)]),
  ];
}
