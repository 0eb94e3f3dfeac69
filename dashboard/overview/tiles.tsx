import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Sparkline } from '#dashboard/charts/sparkline.tsx';
import { OldContent } from '#dashboard/components/feedback/old-content.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { formatCompact, formatCount } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { approximately } from '#dashboard/components/values/usd-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { type MetricName, metrics, percentileErrorText } from '#dashboard/metrics/metrics.ts';
import { UncertaintyMark } from '#dashboard/metrics/uncertainty-mark.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { Changes } from './changes.tsx';
import { useComparedSearch } from './compared-search.ts';
import { type Figure, figures } from './tile-figures.ts';

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
      <dt className="h-5 text-[0.8125rem] whitespace-nowrap text-muted">
        {figure.title}
        {figure.metrics.length > 1 && ' median'}
      </dt>
      <dd className="mt-1.5">
        {report ? (
          <>
            <div className="flex items-start gap-1.5">
              {firstMetric === 'cost' && (
                <span className="relative z-1 flex h-7 items-center empty:hidden">
                  <UncertaintyMark sum={report.totals} />
                </span>
              )}
              <Values figure={figure} report={report} />
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
      <div className="h-5" />
      <Skeleton className="mt-1 h-4.5 w-12" />
      <div className="mt-2.5 h-8" />
      <span className="sr-only">Loading…</span>
    </>
  );
}

interface ValuesProps {
  figure: Figure;
  report: CostReport;
}

/**
 * They lead to their course, of sums by model; the link covers the tile. A second figure, or a note, has a line of its own.
 */
function Values({ figure: { title, metrics: names, note }, report }: ValuesProps) {
  const [first, second] = names;
  const { totals } = report;
  const { id: organizationId } = useOrganization();
  const comparedSearch = useComparedSearch();
  const hasSecond = second !== undefined && metrics[second].valueOf(totals) !== null;
  return (
    <div className="min-w-0 whitespace-nowrap tabular-nums">
      <Link
        to="/organizations/$organizationId/usage"
        params={{ organizationId }}
        search={{ ...comparedSearch, metric: first, group: metrics[first].isSum ? undefined : 'none' }}
        className="block outline-none after:absolute after:inset-0"
      >
        {/* Figures lie above the link’s area, since they have tooltips. */}
        <span className="relative z-1 block h-7 w-fit text-[1.375rem]/7 font-semibold tracking-[-0.02em]">
          <span className="sr-only">{title}: </span>
          {valueNode(first, report)}
        </span>
        {hasSecond && (
          <span className="relative z-1 block h-5 w-fit text-xs/5 text-muted">
            <span className="sr-only"> median, 95th percentile </span>
            <span aria-hidden>p95 </span>
            {valueNode(second, report)}
          </span>
        )}
      </Link>
      {!hasSecond && <p className="h-5 text-xs/5 text-muted">{note(totals)}</p>}
    </div>
  );
}

/** With all its digits, or how far it may be off, in a tooltip. */
function valueNode(metric: MetricName, report: CostReport): ReactNode {
  const { totals, max_percentile_error: maxError } = report;
  if (metric === 'cost') return <Usd amount={totals.cost_usd} />;
  if (metric === 'requests' || metric === 'tokens')
    return <Count value={metrics[metric].valueOf(totals) ?? 0} />;
  const text = metrics[metric].textOf(totals);
  if (!text.startsWith(approximately)) return text;
  return (
    <Tooltip content={`${approximately.trim()} is ${percentileErrorText(maxError)}`}>
      <span>{text}</span>
    </Tooltip>
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
