import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { ForeignText, withCodes } from '#dashboard/components/values/foreign-text.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import type { CostTotals, OtherCosts } from '#lambdas/accounts/analytics/responses.ts';
import { type Metric, type MetricName, meanCostOf, metrics } from './metrics.ts';
import { UncertaintyMark } from './uncertainty-mark.tsx';

export interface FigureRow {
  key: string;
  name: ReactNode;
  totals: CostTotals;
  /** A menu at the end. */
  action?: ReactNode;
  /** The sum of the others, below them. */
  isTotal?: boolean;
}

interface FigureTableProps {
  label: string;
  /** The title of the names: "Model". */
  nameTitle: string;
  columns: readonly FigureColumn[];
  rows: readonly FigureRow[];
  /** Without, the rows cannot be sorted. */
  sorting?: Sorting;
}

export interface Sorting {
  metric: MetricName;
  isAscending: boolean;
  /** Also of the present metric, for the other direction. */
  onSort: (metric: MetricName) => unknown;
}

/**
 * The figures of groups. On narrow screens, each group is a block with labelled figures. Names have room for a dozen letters:
 * where the figures leave less, secondary columns are left out, and what is still too wide scrolls below the names.
 */
export function FigureTable({ label, nameTitle, columns, rows, sorting }: FigureTableProps) {
  const hasActions = rows.some(({ action }) => action !== undefined);
  const allTotals = rows.map(({ totals }) => totals);
  return (
    <div className="@container">
      {/* The cells of names do not cover the corners. */}
      <div className="relative rounded-xl @[42rem]:scroll-sideways">
        <table aria-label={label} className="block w-full text-left @[42rem]:table">
          <thead className="sr-only @[42rem]:not-sr-only @[42rem]:table-header-group">
            <tr>
              <th
                scope="col"
                className={classNames('h-10 w-full pr-2 pl-5 text-xs font-medium text-muted', nameClasses)}
              >
                {nameTitle}
              </th>
              {columns.map(({ title, metric, isSecondary }) => (
                <th
                  key={title}
                  scope="col"
                  aria-sort={metric && metric === sorting?.metric ? sortDirection(sorting) : undefined}
                  className={classNames(
                    'h-10 text-right text-xs font-medium whitespace-nowrap text-muted last:pr-5',
                    paddingOf(columns),
                    isSecondary && secondaryClasses,
                  )}
                >
                  {metric && sorting ? <SortButton metric={metric} title={title} sorting={sorting} /> : title}
                </th>
              ))}
              {hasActions && (
                <th scope="col" className="h-10 pr-3 pl-0">
                  <span className="sr-only">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody className="block @[42rem]:table-row-group">
            {rows.map((row) => (
              <FigureTableRow key={row.key} {...{ row, columns, allTotals, hasActions }} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function sortDirection({ isAscending }: Sorting): 'ascending' | 'descending' {
  return isAscending ? 'ascending' : 'descending';
}

/** The heading of a column, with an arrow if the rows are sorted by it. */
function SortButton({ metric, title, sorting }: { metric: MetricName; title: string; sorting: Sorting }) {
  const Arrow = sorting.isAscending ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      onClick={() => sorting.onSort(metric)}
      className="-mx-1 inline-flex min-h-6 items-center gap-1 rounded-sm px-1 font-medium transition-colors hover:text-text"
    >
      {title}
      {metric === sorting.metric && <Arrow aria-hidden className="size-3.5" />}
    </button>
  );
}

/** For the cells of names, which keep their place when the others scroll. */
const nameClasses = '@[42rem]:sticky @[42rem]:left-0 @[42rem]:z-2 @[42rem]:bg-surface @[42rem]:min-w-[14em]';

/** For a column that is left out where names need its place. */
const secondaryClasses = '@[42rem]:hidden @[70rem]:table-cell';

/** Many columns are closer together. */
function paddingOf(columns: readonly FigureColumn[]): string {
  return columns.length > 7 ? '@[42rem]:px-2 @[54rem]:px-3' : '@[42rem]:px-2.5 @[54rem]:px-5';
}

interface FigureTableRowProps {
  row: FigureRow;
  columns: readonly FigureColumn[];
  allTotals: readonly CostTotals[];
  hasActions: boolean;
}

function FigureTableRow({ row, columns, allTotals, hasActions }: FigureTableRowProps) {
  const { name, totals, action, isTotal = false } = row;
  return (
    <tr
      className={classNames(
        'relative grid grid-cols-3 gap-x-4 gap-y-2.5 border-t border-line px-5 py-4 first:border-t-0',
        '@[42rem]:table-row @[42rem]:h-11 @[42rem]:p-0',
        isTotal && 'font-medium',
      )}
    >
      <th
        scope="row"
        className={classNames(
          nameClasses,
          'col-span-3 block min-w-0 font-medium @[42rem]:table-cell @[42rem]:max-w-0 @[42rem]:border-t @[42rem]:border-line @[42rem]:pr-2 @[42rem]:pl-5',
          Boolean(action) && 'pr-10 @[42rem]:pr-2',
        )}
      >
        {name}
      </th>
      {columns.map(({ title, cell, isSecondary }) => (
        <td
          key={title}
          data-title={title}
          className={classNames(
            'block min-w-0 tabular-nums before:block before:text-xs/5 before:font-normal before:text-muted before:content-[attr(data-title)] @[42rem]:border-t @[42rem]:border-line @[42rem]:text-right @[42rem]:whitespace-nowrap @[42rem]:before:hidden @[42rem]:last:pr-5',
            // One or the other: of two displays, the order of the style sheet would decide.
            isSecondary ? secondaryClasses : '@[42rem]:table-cell',
            paddingOf(columns),
          )}
        >
          {cell(totals, allTotals)}
        </td>
      ))}
      {hasActions && (
        <td className="absolute top-3 right-3 empty:hidden @[42rem]:static @[42rem]:table-cell @[42rem]:border-t @[42rem]:border-line @[42rem]:pr-3 @[42rem]:empty:table-cell">
          {action}
        </td>
      )}
    </tr>
  );
}

const widths = ['w-2/3', 'w-1/2', 'w-3/5', 'w-2/5'];

/** A table of figures that is loading. */
export function FigureTableSkeleton({ rows }: { rows: number }) {
  return (
    <div className="@container">
      <div className="hidden h-10 @[42rem]:block" />
      {Array.from({ length: rows }, (_, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
          key={row}
          className="flex h-42 items-center border-t border-line px-5 first-of-type:border-t-0 @[42rem]:h-11 @[42rem]:first-of-type:border-t"
        >
          <Skeleton className={`h-4 ${widths[row % widths.length]}`} />
        </div>
      ))}
    </div>
  );
}

interface GroupLabelProps {
  /** The value of the group; `null` for the requests without one. */
  value: string | null;
  name: string;
}

/** The name of a group in one line, muted for the requests without a value. */
export function GroupLabel({ value, name }: GroupLabelProps) {
  return (
    <span
      title={withCodes(name)}
      className={classNames('block truncate', value === null && 'font-normal text-muted')}
    >
      <ForeignText>{name}</ForeignText>
    </span>
  );
}

/**
 * The groups that are not listed, if there are any.
 *
 * @param mark before the name, as before those of the groups
 */
export function otherRow(other: OtherCosts | null, mark?: ReactNode): FigureRow[] {
  if (other === null) return [];
  const name = (
    <span className="flex items-center gap-2.5 font-normal text-muted">
      {mark}
      Other ({formatCount(other.groups)})
    </span>
  );
  return [{ key: 'other', name, totals: other.totals }];
}

/** A column of figures. */
export interface FigureColumn {
  title: string;
  /** The metric by which its figures can be sorted. */
  metric?: MetricName;
  /** @param column the totals of all rows; without, the figure stands alone */
  cell: (totals: CostTotals, column?: readonly CostTotals[]) => ReactNode;
  /** Left out of tables that are too narrow for it. */
  isSecondary?: boolean;
}

export function metricColumn(name: MetricName, title: string = metrics[name].title): FigureColumn {
  const { textOf, textAmong }: Metric = metrics[name];
  const cell: FigureColumn['cell'] = (totals, column) =>
    column && textAmong ? textAmong(totals, column) : textOf(totals);
  return { title, metric: name, cell };
}

/** Says how much of the sum is not certain. */
export const spendColumn: FigureColumn = {
  title: metrics.cost.title,
  metric: 'cost',
  cell: (totals) => (
    <span className="inline-flex h-5 items-center gap-1.5 align-top">
      <UncertaintyMark sum={totals} />
      {areUnpriced(totals) ? '–' : <Usd amount={totals.cost_usd} />}
    </span>
  ),
};

/** Requests without a known price have no cost, rather than one of $0. */
function areUnpriced({ requests, unpriced_requests: unpriced }: CostTotals): boolean {
  return unpriced > 0 && unpriced === requests;
}

export const meanCostColumn: FigureColumn = {
  title: 'Per request',
  metric: 'mean_cost',
  cell: (totals) => {
    const mean = meanCostOf(totals);
    return mean === null ? '–' : <Usd amount={mean} />;
  },
};

/** Requests that were rejected before a provider was called are in no other figure. */
export const rejectedColumn: FigureColumn = {
  title: 'Rejected',
  metric: 'rejected',
  cell: ({ rejected_requests: rejected }) => (rejected === null ? '–' : formatCount(rejected)),
};
