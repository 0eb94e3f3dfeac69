import { type ReactNode, useId, useMemo } from 'react';
import { costsReloadMs } from '#dashboard/api/analytics.ts';
import { classNames } from '#dashboard/components/class-names.ts';
import { formatAxisDuration } from '#dashboard/components/values/number-format.ts';
import type { ChartPeriod, ChartProps } from '../chart.ts';
import { windowTitle } from '../period-title.ts';
import { Axes } from './axes.tsx';
import { createGeometry, type Geometry, type Marks, plotMargins, useWidth } from './geometry.ts';
import { localTimes, timeTicks } from './time-ticks.ts';
import { ChartTooltip } from './tooltip.tsx';
import { announcement, type Brush, useInteraction } from './use-interaction.ts';
import { valueTicks } from './value-ticks.ts';

interface PlotProps extends ChartProps {
  marks: Marks;
  height: number;
  /** Pointed at in the legend. */
  emphasizedId: string | null;
}

/** The drawing with its tooltip, which is one stop of the Tab key. */
export function Plot(props: PlotProps) {
  const [ref, width] = useWidth();
  return (
    <div ref={ref} className="h-full">
      {width > 0 && <SizedPlot {...props} width={width} />}
    </div>
  );
}

export function SizedPlot(props: PlotProps & { width: number }) {
  const { periods, series, totals, marks, onSelect, onBrush } = props;
  const { geometry, values } = useValueAxis(props);
  const time = useTimeAxis(props, geometry.step);
  const incompleteFrom = useMemo(() => firstIncomplete(periods), [periods]);
  const rows = useMemo(() => (marks.isStacked ? series.toReversed() : series), [marks, series]);
  const { current, brush, handlers } = useInteraction({
    periods,
    geometry,
    seriesIds: rows.map(({ id }) => id),
    seriesAt: (index, y) => marks.seriesAt(series, index, y, geometry),
    onSelect,
    onBrush,
  });
  const hintId = useId();

  const title = titleOf(props, current?.index ?? 0, brush);
  const totalText = totals?.[current?.index ?? 0];
  const total = totalText === undefined ? null : { name: marks.totalName, text: totalText };
  const isSoFar = current !== null && brush === null && current.index >= incompleteFrom;
  const drawing = {
    series,
    periodCount: periods.length,
    geometry,
    incompleteFrom,
    emphasizedId: props.emphasizedId ?? (marks.isStacked ? null : (current?.seriesId ?? null)),
  };
  return (
    <>
      <div
        // Lets screen readers pass on the arrow keys.
        role="application"
        aria-roledescription="chart"
        aria-label={props.label}
        aria-describedby={hintId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move through the periods.
        tabIndex={0}
        {...handlers}
        className={classNames(
          'relative touch-pan-y rounded-md select-none',
          current !== null && onSelect !== undefined && 'cursor-pointer',
          brush !== null && 'cursor-col-resize',
        )}
      >
        {current !== null && brush === null && <Highlight geometry={geometry} index={current.index} />}
        {/* A layer of its own is not painted again when something moves below or above it. */}
        <Svg geometry={geometry} className="relative will-change-transform">
          <Axes geometry={geometry} values={values} time={time} />
          <marks.Draw {...drawing} />
        </Svg>
        {brush !== null && <Selection geometry={geometry} brush={brush} />}
        {current !== null && brush === null && marks.DrawActive && (
          <Svg geometry={geometry} className="absolute inset-0">
            <marks.DrawActive {...drawing} index={current.index} />
          </Svg>
        )}
        {current !== null && (
          <ChartTooltip
            geometry={geometry}
            index={current.index}
            title={isSoFar ? `${title} · so far` : title}
            series={brush === null ? rows : []}
            total={brush === null ? total : null}
            seriesId={current.seriesId}
            hint={brush === null && !current.byKeyboard ? props.selectHint : undefined}
          />
        )}
      </div>
      <p id={hintId} className="sr-only">
        {hint(props)}
      </p>
      <p aria-live="polite" className="sr-only">
        {current?.byKeyboard && announcement({ title, rows, total, current, brush })}
      </p>
    </>
  );
}

function useValueAxis(props: PlotProps & { width: number }) {
  const { series, periods, marks, height, width, formatAxis, areDurations = false } = props;
  return useMemo(() => {
    const areWhole = series.every((one) =>
      one.values.every((value) => value === null || Number.isInteger(value)),
    );
    const steps = Math.max(2, Math.round((height - plotMargins.top - plotMargins.bottom) / 52));
    const kind = areDurations ? 'durations' : areWhole ? 'counts' : 'amounts';
    const ticks = valueTicks(marks.maxOf(series, periods.length), steps, kind);
    const max = ticks.at(-1) ?? 1;
    const labelOf = (value: number) => (areDurations ? formatAxisDuration(value, max) : formatAxis(value));
    const values = ticks.map((value) => ({ value, label: labelOf(value) }));
    const geometry = createGeometry({
      width,
      height,
      periodCount: periods.length,
      max,
      valueLabels: values.map(({ label }) => label),
    });
    return { geometry, values };
  }, [series, periods, marks, height, width, formatAxis, areDurations]);
}

function useTimeAxis({ periods, interval, timeZone }: PlotProps, step: number) {
  const times = useMemo(
    () =>
      localTimes(
        periods.map(({ start }) => start),
        timeZone,
      ),
    [periods, timeZone],
  );
  return useMemo(() => timeTicks({ times, interval, step, timeZone }), [times, interval, step, timeZone]);
}

/** A report up to the present ends its last period when it is read, up to a minute ago: that period is incomplete too. */
export function firstIncomplete(periods: readonly ChartPeriod[]): number {
  const readAfterMs = Date.now() - costsReloadMs;
  const index = periods.findIndex(({ end }) => Date.parse(end) > readAfterMs);
  return index === -1 ? periods.length : index;
}

/** Returns the title of the selected periods or, without a selection, of the current period. */
export function titleOf(
  { periods, interval, timeZone }: PlotProps,
  index: number,
  brush: Brush | null,
): string {
  const first = periods[brush === null ? index : Math.min(brush.from, brush.to)];
  const last = periods[brush === null ? index : Math.max(brush.from, brush.to)];
  if (first === undefined || last === undefined) return '';
  return windowTitle(first, last, interval, timeZone);
}

function hint({ onSelect, onBrush }: PlotProps): string {
  const parts = ['Left and right arrow keys move through time.'];
  if (onSelect) parts.push('Up and down arrow keys move through the series. Enter opens what is reached.');
  if (onBrush) parts.push('With Shift, the arrow keys select a part of the time, which Enter applies.');
  return parts.join(' ');
}

interface SvgProps {
  geometry: Geometry;
  className: string;
  children: ReactNode;
}

function Svg({ geometry: { width, height }, className, children }: SvgProps) {
  return (
    <svg aria-hidden="true" width={width} height={height} className={classNames('block', className)}>
      {children}
    </svg>
  );
}

function Highlight({ geometry, index }: { geometry: Geometry; index: number }) {
  return <div aria-hidden className="absolute left-0 bg-hover" style={columns(geometry, index, index)} />;
}

function Selection({ geometry, brush: { from, to } }: { geometry: Geometry; brush: Brush }) {
  return (
    <div
      aria-hidden
      className="absolute left-0 border-x border-accent bg-accent/15"
      style={columns(geometry, Math.min(from, to), Math.max(from, to))}
    />
  );
}

/** The place of the periods from the first to the last. */
export function columns({ top, bottom, step, centreOf }: Geometry, first: number, last: number) {
  const width = Math.max(1, (last - first + 1) * step);
  return { top, height: bottom - top, width, transform: `translateX(${centreOf(first) - step / 2}px)` };
}
