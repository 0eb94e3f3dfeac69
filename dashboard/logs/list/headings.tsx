import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { classNames } from '#dashboard/components/class-names.ts';
import { StatusLegend } from '#dashboard/components/request/status-legend.tsx';
import { isFigureName } from '#dashboard/filters/figures.ts';
import type { LogsOrder } from '#dashboard/filters/logs-search.ts';
import { type ColumnName, columns, isFigureColumn, isStacked } from './columns.ts';

interface HeadingsProps {
  names: readonly ColumnName[];
  /** Such as "Berlin". */
  zone: string;
  order: LogsOrder;
  onOrderChange: (order: LogsOrder) => void;
}

const headingClasses = 'text-xs font-medium text-muted';

/** The headings of the columns. Those of times and figures sort the list. */
export function Headings({ names, zone, order, onOrderChange }: HeadingsProps) {
  return names.map((name) => {
    const title = name === 'model' && isStacked(names) ? 'Model and user' : columns[name].title;
    const isSortable = name === 'time' || isFigureName(name);
    const isSorted = isSortable && order.sort === sortOf(name);
    return (
      <th
        key={name}
        scope="col"
        aria-sort={isSorted ? (order.order === 'asc' ? 'ascending' : 'descending') : undefined}
        className={classNames(
          'min-w-0',
          headingClasses,
          isFigureColumn(name) && 'text-right',
          (name === 'route' || name === 'user') && 'pl-2',
        )}
      >
        {isSortable ? (
          <button
            type="button"
            title={isSorted ? 'Reverse the order' : `Sort by ${title.toLowerCase()}`}
            onClick={() => onOrderChange(nextOrder(order, sortOf(name)))}
            className={classNames(
              'group relative inline-flex min-h-6 max-w-full items-center gap-1 rounded-sm transition-colors hover:text-text',
              isSorted && 'text-text',
            )}
          >
            <span className="truncate">
              {title}
              {name === 'time' && <span className="font-normal"> ({zone})</span>}
            </span>
            {isSorted ? <Direction order={order} /> : <SortHint isAtStart={isFigureColumn(name)} />}
          </button>
        ) : (
          <span className="inline-flex items-center gap-0.5">
            {title}
            {name === 'status' && <StatusLegend />}
          </span>
        )}
      </th>
    );
  });
}

function sortOf(name: ColumnName): LogsOrder['sort'] {
  return isFigureName(name) ? name : undefined;
}

/** The newest or highest first, or the other way round if the list has this order already. */
export function nextOrder(order: LogsOrder, sort: LogsOrder['sort']): LogsOrder {
  return { sort, order: order.sort === sort && order.order === undefined ? 'asc' : undefined };
}

function Direction({ order: { order } }: { order: LogsOrder }) {
  const Arrow = order === 'asc' ? ArrowUp : ArrowDown;
  return <Arrow aria-hidden className="size-3 shrink-0" />;
}

/** Appears beside the title, on the side where there is room, so that nothing moves. */
function SortHint({ isAtStart }: { isAtStart: boolean }) {
  return (
    <ArrowUpDown
      aria-hidden
      className={classNames(
        'absolute size-3 opacity-0 transition-opacity group-hover:opacity-100 group-focus-visible:opacity-100',
        isAtStart ? 'right-full mr-0.5' : 'left-full ml-0.5',
      )}
    />
  );
}

/** The names of the cells of rows with two lines, for screen readers. */
export function NarrowHeadings() {
  return ['Model', 'Cost', 'Time and status', 'Tokens and latency'].map((title) => (
    <th key={title} scope="col">
      {title}
    </th>
  ));
}
