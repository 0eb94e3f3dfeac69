import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { ChartSeries } from '../chart.ts';

interface DataTableProps {
  label: string;
  height: number;
  /** The titles of the periods, one for each row. */
  titles: readonly string[];
  series: readonly ChartSeries[];
  total: { name: string; texts: readonly string[] } | null;
}

const rowHeightPx = 32;

/** More rows than are visible are in the document for searching in the page, but not so many that it becomes slow. */
const maxHiddenCells = 400;

/** The figures of a chart: a row for each period, a column for each series. */
export function DataTable({ label, height, titles, series, total }: DataTableProps) {
  const box = useRef<HTMLDivElement>(null);
  const columns = [...(total === null ? [] : [{ id: '', ...total }]), ...series];
  const { getVirtualItems, getTotalSize } = useVirtualizer({
    count: titles.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeightPx,
    overscan: Math.ceil(maxHiddenCells / (columns.length + 1)),
  });
  const rows = getVirtualItems();
  return (
    <section
      ref={box}
      aria-label={`Table of ${label}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the table.
      tabIndex={0}
      className="overflow-auto overscroll-contain rounded-lg border border-line"
      style={{ height }}
    >
      <table
        aria-label={label}
        aria-rowcount={titles.length + 1}
        className="w-full border-separate border-spacing-0 text-xs whitespace-nowrap"
      >
        <thead>
          <tr
            aria-rowindex={1}
            className="*:sticky *:top-0 *:h-8 *:border-b *:border-line *:bg-surface *:px-3 *:font-medium *:text-muted"
          >
            <th scope="col" className="left-0 z-10 text-left">
              Period
            </th>
            {columns.map(({ id, name }) => (
              <th key={id} scope="col" className="text-right">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={rows[0]?.start ?? 0} />
          {rows.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2} className="h-8 *:border-b *:border-line *:px-3">
              <th scope="row" className="sticky left-0 bg-surface text-left font-normal">
                {titles[index]}
              </th>
              {columns.map(({ id, texts }) => (
                <td key={id} className="text-right tabular-nums">
                  {texts[index]}
                </td>
              ))}
            </tr>
          ))}
          <Spacer height={getTotalSize() - (rows.at(-1)?.end ?? 0)} />
        </tbody>
      </table>
    </section>
  );
}

/** Takes the place of the rows outside the visible part. */
function Spacer({ height }: { height: number }) {
  return (
    height > 0 && (
      <tr aria-hidden>
        <td style={{ height }} />
      </tr>
    )
  );
}
