import { periodTitle } from '#dashboard/charts/period-title.ts';
import { type GroupLook, rejectedId, reportSeries } from '#dashboard/charts/report-series.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened, useLast } from '#dashboard/components/overlay/once-opened.tsx';
import { metrics } from '#dashboard/metrics/metrics.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { selectionOfSeries } from './drill-down.ts';
import type { Point } from './point-dialog.tsx';
import { usageRoute } from './route.ts';
import type { UsageSearch } from './search.ts';
import type { UsageSettings } from './settings.ts';

const PointDialog = lazyComponent(() => import('./point-dialog.tsx'), 'PointDialog');

interface ChosenPointProps {
  report: CostReport;
  look: GroupLook;
  settings: UsageSettings;
  search: UsageSearch;
}

/** The dialog of the point in the view's link. */
export function ChosenPoint({ report, look, settings, search }: ChosenPointProps) {
  const navigate = usageRoute.useNavigate();
  const chosen = pointOf(report, look, settings, search);
  const shown = useLast(chosen);
  const close = () =>
    navigate({
      search: (current) => ({ ...current, point: undefined, series: undefined }),
      replace: true,
      resetScroll: false,
    });
  return (
    <OnceOpened open={chosen !== null}>
      {shown && (
        <PointDialog
          open={chosen !== null}
          point={shown}
          search={search}
          filters={settings.filters}
          metric={search.series === rejectedId ? 'rejected' : settings.metric}
          onClose={close}
        />
      )}
    </OnceOpened>
  );
}

function pointOf(
  report: CostReport,
  look: GroupLook,
  { metric }: UsageSettings,
  { point, series: seriesId }: UsageSearch,
): Point | null {
  const period = point === undefined ? undefined : report.series.find(({ start }) => start === point);
  if (period === undefined) return null;
  const series = reportSeries(report, metrics[metric], look);
  const index = series.findIndex(({ id }) => id === seriesId);
  return {
    period,
    selection: selectionOfSeries(report, index),
    name: (report.group_by !== null && series[index]?.name) || 'All requests',
    periodTitle: periodTitle(period, report.interval ?? 'day', report.time_zone),
  };
}
