import type { UseQueryResult } from '@tanstack/react-query';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { Sparkline } from '#dashboard/charts/sparkline.tsx';
import { Card } from '#dashboard/components/card.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeleton.tsx';
import { Usd } from '#dashboard/components/money/usd.tsx';
import { Count } from '#dashboard/components/numbers/count.tsx';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';
import { type MetricName, metrics } from '#dashboard/metrics/metrics.ts';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import type { Change } from './change.ts';
import { type Figure, figures } from './figures.ts';

/** The figures of the range, with their course and their change against the preceding range. */
export function Tiles({ query }: { query: UseQueryResult<CostReport> }) {
  if (query.data === undefined && query.isError) {
    return (
      <Card>
        <QueryPanel query={query} skeleton={null}>
          {() => null}
        </QueryPanel>
      </Card>
    );
  }
  return (
    <div className="@container">
      <dl
        aria-label="Figures"
        aria-busy={query.data === undefined}
        className="grid grid-cols-2 gap-3 @[44rem]:grid-cols-3 @[66rem]:grid-cols-6"
      >
        {figures.map((figure) => (
          <Tile key={figure.title} figure={figure} report={query.data} />
        ))}
      </dl>
    </div>
  );
}

function Tile({ figure, report }: { figure: Figure; report: CostReport | undefined }) {
  const [firstMetric] = figure.metrics;
  return (
    <div className="flex min-w-0 flex-col rounded-xl border border-line bg-surface px-4 pt-3.5 pb-3 shadow-card">
      <dt className="flex h-5 items-center justify-between gap-2 text-[0.8125rem] whitespace-nowrap text-muted">
        <span>{figure.title}</span>
        {report && <span className="truncate text-xs tabular-nums">{figure.note(report.totals)}</span>}
      </dt>
      <dd className="mt-1.5">
        {report ? (
          <>
            <Values metricNames={figure.metrics} totals={report.totals} />
            <Changes figure={figure} report={report} />
            <div className="mt-2.5 h-8">
              <Sparkline values={report.series.map(({ totals }) => metrics[firstMetric].valueOf(totals))} />
            </div>
          </>
        ) : (
          <TileSkeleton />
        )}
      </dd>
    </div>
  );
}

function TileSkeleton() {
  return (
    <>
      <Skeleton className="h-7 w-24" />
      <Skeleton className="mt-1 h-4 w-12" />
      <div className="mt-2.5 h-8" />
      <span className="sr-only">Loading…</span>
    </>
  );
}

interface ValuesProps {
  metricNames: Figure['metrics'];
  totals: CostTotals;
}

function Values({ metricNames: [first, second], totals }: ValuesProps) {
  return (
    <p className="flex h-7 items-baseline gap-1.5 whitespace-nowrap tabular-nums">
      <span className="text-[1.375rem]/7 font-semibold tracking-[-0.02em]">{valueNode(first, totals)}</span>
      {second && (
        <span className="truncate text-[0.9375rem] text-muted">
          <span className="sr-only">median, 95th percentile </span>
          <span aria-hidden>· </span>
          {valueNode(second, totals)}
        </span>
      )}
    </p>
  );
}

/** With all its digits in a tooltip, where they are not shown. */
function valueNode(metric: MetricName, totals: CostTotals): ReactNode {
  if (metric === 'cost') return <Usd amount={totals.cost_usd} />;
  if (metric === 'requests' || metric === 'tokens')
    return <Count value={metrics[metric].valueOf(totals) ?? 0} />;
  return metrics[metric].textOf(totals);
}

function Changes({ figure, report }: { figure: Figure; report: CostReport }) {
  const { previous } = report;
  return (
    <p className="mt-0.5 flex h-5 items-center gap-1.5 text-xs whitespace-nowrap tabular-nums">
      {previous &&
        figure.metrics.map((name, index) => (
          <Tooltip
            key={name}
            content={`${metrics[name].title} in the preceding range: ${metrics[name].textOf(previous.totals)}`}
          >
            <span className="flex items-center gap-1.5">
              {index > 0 && (
                <span aria-hidden className="text-muted">
                  ·
                </span>
              )}
              <ChangeText change={figure.changeOf(name, report)} />
            </span>
          </Tooltip>
        ))}
    </p>
  );
}

const toneClasses: Record<Change['tone'], string> = {
  good: 'text-success',
  bad: 'text-danger',
  neutral: 'text-muted',
};

function ChangeText({ change }: { change: Change | null }) {
  if (change === null) {
    return (
      <span className="text-muted">
        <span aria-hidden>–</span>
        <span className="sr-only">Nothing to compare with</span>
      </span>
    );
  }
  const { direction, text, tone } = change;
  const Icon = direction === 'up' ? ArrowUp : ArrowDown;
  return (
    <span className={classNames('flex items-center gap-0.5 font-medium', toneClasses[tone])}>
      {direction !== 'none' && <Icon aria-hidden className="size-3" strokeWidth={2.5} />}
      <span className="sr-only">
        {direction === 'none' ? 'Changed by' : direction === 'up' ? 'Up' : 'Down'}
      </span>
      {text}
    </span>
  );
}
