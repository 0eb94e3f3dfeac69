import { Link } from '@tanstack/react-router';
import { ListFilter, Rows3, ZoomIn } from 'lucide-react';
import type { ReactElement } from 'react';
import type { Filters } from '#dashboard/api/analytics.ts';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { Dialog } from '#dashboard/components/overlay/dialog.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { type FigureColumn, metricColumn, spendColumn } from '#dashboard/metrics/figure-table.tsx';
import { capitalize, groupTitles } from '#dashboard/metrics/groups.ts';
import type { MetricName } from '#dashboard/metrics/metrics.ts';
import type { CostPeriod, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { hourMs } from '#lambdas/platform/duration.ts';
import {
  entriesKept,
  filtersOfSelection,
  logsSearch,
  onlySearch,
  type Selection,
  totalsOfSelection,
} from './drill-down.ts';
import { type RequestList, requestLists } from './request-lists.ts';
import type { UsageSearch } from './search.ts';

export interface Point {
  period: CostPeriod;
  selection: Selection;
  /** Such as "gpt-4o". */
  name: string;
  /** Such as "6 Nov 2026". */
  periodTitle: string;
}

interface PointDialogProps {
  open: boolean;
  point: Point;
  search: UsageSearch;
  filters: Filters;
  /** The metric of the chart. */
  metric: MetricName;
  onClose: () => void;
}

/** The figures of a point of the chart, and where it leads. */
export function PointDialog({ open, point, search, filters, metric, onClose }: PointDialogProps) {
  const { period, selection, name, periodTitle } = point;
  const totals = totalsOfSelection(period, selection);
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={name}
      description={periodTitle}
    >
      {totals ? <PointFigures totals={totals} metric={metric} /> : <p className="text-muted">No requests.</p>}
      <div className="mt-5 flex flex-col gap-2">
        <OnlyLink point={point} search={search} filters={filters} />
        <PeriodLink point={point} search={search} />
        {totals && <RequestsLinks {...{ point, search, filters, metric, totals }} />}
      </div>
    </Dialog>
  );
}

const figures: readonly FigureColumn[] = [
  spendColumn,
  metricColumn('requests'),
  metricColumn('tokens'),
  metricColumn('error_rate'),
  metricColumn('mean_latency'),
  metricColumn('mean_overhead'),
];

/** The metric of the chart comes first. */
export function PointFigures({ totals, metric }: { totals: CostTotals; metric: MetricName }) {
  const chosen = metric === 'cost' ? spendColumn : metricColumn(metric);
  // The mean only where it is all that is known.
  const latencies: MetricName[] =
    totals.latency_ms === null ? ['mean_latency'] : ['latency_p50', 'latency_p95'];
  const columns = figures.flatMap((figure) =>
    figure.metric === 'mean_latency' ? latencies.map((each) => metricColumn(each)) : [figure],
  );
  const shown = [chosen, ...columns.filter((figure) => figure.metric !== metric)];
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 tabular-nums sm:grid-cols-3">
      {shown.map(({ title, cell }) => (
        <div key={title} className="min-w-0">
          <dt className="text-[0.8125rem] text-muted">{title}</dt>
          <dd className="font-medium">{cell(totals)}</dd>
        </div>
      ))}
    </dl>
  );
}

type LinkProps = Pick<PointDialogProps, 'point' | 'search' | 'filters'>;

const linkClasses = `${buttonClasses()} !justify-start w-full min-w-0`;

function OnlyLink({ point: { selection, name }, search, filters }: LinkProps): ReactElement | null {
  const { id: organizationId } = useOrganization();
  const only = onlySearch(search, filters, selection);
  if (only === null) return null;
  return (
    <Link
      to="/organizations/$organizationId/usage"
      params={{ organizationId }}
      search={only}
      className={linkClasses}
    >
      <ListFilter aria-hidden />
      <span className="min-w-0 truncate">Show only {name}</span>
    </Link>
  );
}

/** Hours are the finest periods of most groups, so a shorter one cannot be split further. */
function PeriodLink({ point: { period, periodTitle }, search }: Omit<LinkProps, 'filters'>) {
  const { id: organizationId } = useOrganization();
  if (Date.parse(period.end) - Date.parse(period.start) <= hourMs) return null;
  const { range: _, point: __, series: ___, interval: ____, ...kept } = search;
  return (
    <Link
      to="/organizations/$organizationId/usage"
      params={{ organizationId }}
      search={{ ...kept, start: period.start, end: period.end }}
      className={linkClasses}
    >
      <ZoomIn aria-hidden />
      <span className="min-w-0 truncate">Show only {periodTitle}</span>
    </Link>
  );
}

interface RequestsLinksProps extends LinkProps {
  metric: MetricName;
  totals: CostTotals;
}

/** Sums stay when entries expire, so the list of an old period would be empty. */
export function RequestsLinks({ point, search, filters, metric, totals }: RequestsLinksProps) {
  const { period, selection } = point;
  const { id: organizationId, entry_retention_days: retentionDays } = useOrganization();
  const kept = entriesKept(period, retentionDays, new Date());
  const keptText = `Log entries are kept for ${retentionDays} days.`;
  if (kept === 'none') {
    return <p className="text-[0.8125rem] text-muted">{keptText} Those of this period have expired.</p>;
  }
  const narrowed = filtersOfSelection(filters, selection);
  if (narrowed === null) {
    return <p className="text-[0.8125rem] text-muted">{noFilterText(selection)}</p>;
  }
  const [first, ...others] = requestLists(metric, totals);
  const linkTo = (list: RequestList) => ({
    to: '/organizations/$organizationId/logs' as const,
    params: { organizationId },
    search: logsSearch(search, narrowed, period, list),
  });
  return (
    <>
      <Link {...linkTo(first)} className={linkClasses}>
        <Rows3 aria-hidden />
        Show its requests: {first.title}
      </Link>
      <ul aria-label="Other orders" className="flex flex-wrap gap-x-4 gap-y-1 px-1 text-[0.8125rem]">
        {others.map((list) => (
          <li key={list.title}>
            <Link
              {...linkTo(list)}
              className="inline-flex min-h-6 items-center rounded-sm font-medium text-muted underline-offset-3 hover:text-text hover:underline"
            >
              {capitalize(list.title)}
            </Link>
          </li>
        ))}
      </ul>
      {kept === 'some' && (
        <p className="text-[0.8125rem] text-muted">{keptText} Earlier ones have expired.</p>
      )}
    </>
  );
}

function noFilterText(selection: Selection): string {
  if (selection.kind !== 'group') return 'To see single groups of the rest, show more of them.';
  return `Logs cannot be filtered by requests without a ${groupTitles[selection.group].one}.`;
}
