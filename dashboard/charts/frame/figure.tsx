import { ChartColumn, Table2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { allRequestsId, type ChartProps, type ChartSeries, defaultChartHeight } from '../chart.ts';
import { periodTitle, zoneTitle } from '../period-title.ts';
import type { Marks } from './geometry.ts';
import { HatchedEntry, Legend } from './legend.tsx';
import { firstIncomplete, Plot } from './plot.tsx';

const DataTable = lazyComponent(() => import('./data-table.tsx'), 'DataTable');

interface ChartFigureProps extends ChartProps {
  marks: Marks;
}

/** A chart with its time zone, legend and table. */
export function ChartFigure(props: ChartFigureProps) {
  const { label, periods, interval, timeZone, series, totals, marks, height = defaultChartHeight } = props;
  const [view, setView] = useState<'chart' | 'table'>('chart');
  const [emphasizedId, setEmphasizedId] = useState<string | null>(null);
  const isEmpty = !hasValues(series);
  const isHatched = marks.isStacked && view === 'chart' && hasHatchedBars(series, firstIncomplete(periods));
  const Icon = view === 'chart' ? Table2 : ChartColumn;
  return (
    <figure aria-label={label} className="@container min-w-0">
      <div className="mb-1 flex h-6 items-center justify-between gap-4 text-xs text-muted">
        <p className="flex min-w-0 items-center gap-x-3">
          <span className="truncate">{zoneTitle(interval, timeZone)}</span>
          {isHatched && <HatchedEntry />}
        </p>
        {!isEmpty && (
          <button
            type="button"
            className="-mr-1.5 inline-flex h-6 shrink-0 items-center gap-1.5 rounded-md px-1.5 font-medium transition-colors hover:bg-hover hover:text-text"
            onClick={() => setView(view === 'chart' ? 'table' : 'chart')}
          >
            <Icon aria-hidden className="size-3.5" />
            {view === 'chart' ? 'Show table' : 'Show chart'}
            <span className="sr-only"> of {label}</span>
          </button>
        )}
      </div>
      <div style={{ height }}>
        {isEmpty ? (
          <p className="flex h-full items-center justify-center text-muted">No requests in this range</p>
        ) : view === 'chart' ? (
          <Plot {...props} height={height} emphasizedId={emphasizedId} />
        ) : (
          <Suspense fallback={null}>
            <DataTable
              label={label}
              height={height}
              titles={periods.map((period) => periodTitle(period, interval, timeZone))}
              series={series}
              total={totals === undefined ? null : { name: marks.totalName, texts: totals }}
            />
          </Suspense>
        )}
      </div>
      {series[0]?.id !== allRequestsId && !isEmpty && view === 'chart' && (
        <Legend series={series} onEmphasize={setEmphasizedId} />
      )}
    </figure>
  );
}

function hasValues(series: readonly ChartSeries[]): boolean {
  return series.some(({ values }) => values.some((value) => value !== null));
}

/** A bar of nothing has no hatching. */
function hasHatchedBars(series: readonly ChartSeries[], from: number): boolean {
  return series.some(({ values }) => values.slice(from).some((value) => (value ?? 0) > 0));
}
