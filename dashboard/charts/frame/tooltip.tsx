import { classNames } from '#dashboard/components/class-names.ts';
import type { ChartSeries } from '../chart.ts';
import type { Geometry } from './geometry.ts';
import { Swatch } from './legend.tsx';

interface ChartTooltipProps {
  geometry: Geometry;
  /** The index of the period beside which the tooltip is shown. */
  index: number;
  title: string;
  /** In the order of the rows. */
  series: readonly ChartSeries[];
  total: { name: string; text: string } | null;
  /** The row that would be chosen. */
  seriesId: string | null;
  hint?: string;
}

/** The figures of a period. Screen readers get the announcement instead. */
export function ChartTooltip(props: ChartTooltipProps) {
  const { geometry, index, title, series, total, seriesId, hint } = props;
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute top-0 left-0 z-20 rounded-lg bg-raised px-3 py-2.5 text-xs shadow-popup"
      style={position(geometry, index)}
    >
      <p className="font-medium">{title}</p>
      {series.length > 0 && (
        <ul className="mt-1.5 flex flex-col gap-1">
          {series.map(({ id, name, colour, texts }) => (
            <li key={id} className="flex items-center gap-2">
              <Swatch colour={colour} />
              <span
                className={classNames(
                  'min-w-0 flex-1 truncate',
                  id === seriesId ? 'font-medium' : 'text-muted',
                )}
              >
                {name}
              </span>
              <span className={classNames('shrink-0 tabular-nums', id === seriesId && 'font-medium')}>
                {texts[index]}
              </span>
            </li>
          ))}
        </ul>
      )}
      {total !== null && (
        <p className="mt-2 flex items-center justify-between gap-3 border-t border-line pt-2 font-medium">
          <span>{total.name}</span>
          <span className="tabular-nums">{total.text}</span>
        </p>
      )}
      {hint && <p className="mt-2 text-muted">{hint}</p>}
    </div>
  );
}

const distance = 10;

/** Beside the period, on the side with more space. */
function position({ width, step, centreOf }: Geometry, index: number) {
  const ownWidth = Math.min(280, Math.round(width * 0.8));
  const centre = centreOf(index);
  const offset = Math.min(step, 56) / 2 + distance;
  const x =
    centre < width / 2
      ? Math.min(centre + offset, width - ownWidth)
      : Math.max(centre - offset - ownWidth, 0);
  return { width: ownWidth, transform: `translateX(${Math.round(x)}px)` };
}
