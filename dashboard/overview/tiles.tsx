import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { Sparkline } from '#dashboard/charts/sparkline.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { OldContent } from '#dashboard/components/feedback/old-content.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { formatCompact, formatCount } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { type MetricName, metrics } from '#dashboard/metrics/metrics.ts';
import { UncertaintyMark } from '#dashboard/metrics/uncertainty-mark.tsx';
import { useRangeSearch } from '#dashboard/range/range-bar.tsx';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { type Change, type Figure, figures } from './tile-figures.ts';

/**
 * The figures of the range, with their course and their change against an earlier range.
 *
 * @param isOld whether the report is that of another range
 */
export function Tiles({ query, isOld }: { query: UseQueryResult<CostReport>; isOld: boolean }) {
  if (query.data === undefined && query.isError) {
    return (
      <Card>
        <QueryStatus query={query} skeleton={null} />
      </Card>
    );
  }
  return (
    <OldContent isOld={isOld}>
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
    </OldContent>
  );
}

function Tile({ figure, report }: { figure: Figure; report: CostReport | undefined }) {
  const [firstMetric] = figure.metrics;
  return (
    <div className="relative flex min-w-0 flex-col rounded-xl border border-line bg-surface px-4 pt-3.5 pb-3 shadow-card transition-colors has-[a:hover]:border-control has-focus-visible:outline-2 has-focus-visible:outline-accent">
      <dt className="flex h-5 items-center justify-between gap-2 text-[0.8125rem] whitespace-nowrap text-muted">
        <span>{figure.title}</span>
        {report && <span className="truncate text-xs tabular-nums">{figure.note(report.totals)}</span>}
      </dt>
      <dd className="mt-1.5">
        {report ? (
          <>
            <div className="flex items-center gap-1.5">
              {firstMetric === 'cost' && (
                <span className="relative z-1 flex">
                  <UncertaintyMark sum={report.totals} />
                </span>
              )}
              <Values figure={figure} totals={report.totals} />
            </div>
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
      <Skeleton className="mt-1 h-4.5 w-12" />
      <div className="mt-2.5 h-8" />
      <span className="sr-only">Loading…</span>
    </>
  );
}

interface ValuesProps {
  figure: Figure;
  totals: CostTotals;
}

/** They lead to their course by model; the link covers the tile. */
function Values({ figure: { title, metrics: names }, totals }: ValuesProps) {
  const [first, second] = names;
  const { id: organizationId } = useOrganization();
  const rangeSearch = useRangeSearch();
  return (
    <Link
      to="/organizations/$organizationId/usage"
      params={{ organizationId }}
      search={{ ...rangeSearch, metric: second ?? first }}
      className="flex h-7 min-w-0 items-baseline gap-1.5 whitespace-nowrap tabular-nums outline-none after:absolute after:inset-0"
    >
      {/* Figures lie above the link’s area, since they have tooltips. */}
      <span className="relative z-1 text-[1.375rem]/7 font-semibold tracking-[-0.02em]">
        <span className="sr-only">{title}: </span>
        {valueNode(first, totals)}
      </span>
      {second && metrics[second].valueOf(totals) !== null && (
        <span className="relative z-1 truncate text-[0.9375rem] text-muted">
          <span className="sr-only">median, 95th percentile </span>
          <span aria-hidden>· </span>
          {valueNode(second, totals)}
        </span>
      )}
    </Link>
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
  const changes = figure.metrics.map((name) => [name, figure.changeOf(name, report)] as const);
  const known = changes.filter(([, change]) => change !== null);
  return (
    <p className="relative mt-0.5 flex h-5 w-fit items-center gap-1.5 text-xs whitespace-nowrap tabular-nums">
      {previous &&
        (known.length > 0 ? known : changes.slice(0, 1)).map(([name, change], index) => (
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
              <ChangeText change={change} />
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

const minCompact = 1_000_000;

/** A count, which is shortened from a million on, with all its digits in a tooltip. */
function Count({ value }: { value: number }) {
  if (value < minCompact) return formatCount(value);
  return (
    <Tooltip content={<span className="tabular-nums">{formatCount(value)}</span>}>
      <span>{formatCompact(value)}</span>
    </Tooltip>
  );
}
