import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { GroupLook } from '#dashboard/charts/report-series.ts';
import { Badge } from '#dashboard/components/badge.tsx';
import { Button } from '#dashboard/components/button.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { capitalize, groupTitles } from '#dashboard/metrics/groups.ts';
import { type Metric, type MetricName, metrics } from '#dashboard/metrics/metrics.ts';
import { shortWindowTitles } from '#dashboard/range/comparison.ts';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { GroupLink } from '../group-link.tsx';
import type { UsageSearch } from '../search.ts';
import type { UsageSettings } from '../settings.ts';
import {
  type ColumnOrder,
  type ComparedColumn,
  type ComparedOrder,
  columnOrder,
  comparedColumns,
  nextOrder,
} from './order.ts';
import {
  type ComparedRow,
  changeText,
  comparedRows,
  differenceText,
  type Previous,
  sortedRows,
  totalRow,
} from './rows.ts';

interface ComparisonTableProps {
  report: CostReport;
  previous: Previous;
  settings: Pick<UsageSettings, 'metric' | 'filters'>;
  search: UsageSearch;
  look: Pick<GroupLook, 'name'>;
  onSort: (order: ComparedOrder | undefined) => void;
}

/** The columns of both ranges are named by these. */
function columnTitles(
  { window, time_zone: timeZone }: CostReport,
  previous: Previous,
): Record<ComparedColumn, string> {
  const [first, second] = shortWindowTitles([window, previous.window], timeZone) ?? [
    'This range',
    'Other range',
  ];
  return { first, second, difference: 'Difference', change: 'Change' };
}

/** The groups after these are shown when somebody asks for them, since the chart of the view follows. */
const maxRowsAtFirst = 8;

/**
 * A metric of each group in both ranges, in the order of the link. The colours of groups are those of the view's chart, which
 * follow another order: here they have none.
 */
export function ComparisonTable(props: ComparisonTableProps) {
  const { report, previous, settings, search, look, onSort } = props;
  const [showsAll, setShowsAll] = useState(false);
  const { metric } = settings;
  const group = report.group_by;
  const rows = sortedRows(comparedRows(report, previous), metric, search.compare_sort);
  const total = totalRow(report, previous);
  const titles = columnTitles(report, previous);
  const column = [...rows, total];
  const columnTotals = column.flatMap(({ first, second }) => [first, second].filter((each) => each !== null));
  const shown = showsAll ? rows : rows.slice(0, maxRowsAtFirst);
  return (
    <>
      <div className="relative scroll-sideways rounded-xl">
        <table aria-label={`${metrics[metric].title} compared`} className="w-full text-left">
          <thead>
            <tr className="text-xs text-muted">
              <th scope="col" className={classNames(nameClasses, 'h-10 w-full font-medium')}>
                {group === null ? 'Requests' : capitalize(groupTitles[group].one)}
              </th>
              {comparedColumns.map((column) => (
                <SortableTitle
                  key={column}
                  title={titles[column]}
                  order={columnOrder(search.compare_sort, column)}
                  onSort={() => onSort(nextOrder(search.compare_sort, column))}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {group !== null &&
              shown.map((row) => (
                <Row key={row.value ?? ''} {...{ row, column, columnTotals, metric }}>
                  <GroupLink
                    selection={{ kind: 'group', group, value: row.value }}
                    search={search}
                    filters={settings.filters}
                    name={look.name(row.value)}
                  />
                </Row>
              ))}
            {group !== 'error_code' && (
              <Row row={total} {...{ column, columnTotals, metric }} isTotal>
                All requests
              </Row>
            )}
          </tbody>
        </table>
      </div>
      {rows.length > shown.length && (
        <div className="border-t border-line px-5 py-3">
          <Button size="small" onClick={() => setShowsAll(true)}>
            Show all {formatCount(rows.length)}
          </Button>
        </div>
      )}
    </>
  );
}

const nameClasses = 'sticky left-0 z-1 min-w-[14em] bg-surface pr-2 pl-5';
const figureClasses = 'px-4 text-right whitespace-nowrap tabular-nums last:pr-5';

interface SortableTitleProps {
  title: string;
  order: ColumnOrder;
  onSort: () => void;
}

const orderIcons = { ascending: ArrowUp, descending: ArrowDown, other: ArrowUpDown } as const;

function SortableTitle({ title, order, onSort }: SortableTitleProps) {
  const Icon = orderIcons[order ?? 'descending'];
  return (
    <th scope="col" aria-sort={order ?? 'none'} className={classNames(figureClasses, 'h-10 font-medium')}>
      <button
        type="button"
        onClick={onSort}
        title={order === 'other' ? 'The largest difference first, be it more or less' : undefined}
        className="group inline-flex min-h-6 items-center gap-1 rounded-sm hover:text-text"
      >
        {/* Before the title, which ends where its figures end. */}
        <Icon
          aria-hidden
          className={classNames(
            'size-3',
            order === null && 'opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60',
          )}
        />
        {title}
      </button>
    </th>
  );
}

interface RowProps {
  row: ComparedRow;
  /** All rows, whose durations have one unit. */
  column: readonly ComparedRow[];
  /** Their figures in both ranges. */
  columnTotals: readonly CostTotals[];
  metric: MetricName;
  isTotal?: boolean;
  /** The name. */
  children: ReactNode;
}

function Row({ row, column, columnTotals, metric, isTotal = false, children }: RowProps) {
  const { first, second, state } = row;
  const { textOf, textAmong }: Metric = metrics[metric];
  const figureText = (totals: CostTotals | null) => {
    if (totals === null) return '–';
    return textAmong ? textAmong(totals, columnTotals) : textOf(totals);
  };
  return (
    <tr className={classNames('h-11 *:border-t *:border-line', isTotal && 'font-medium')}>
      <th scope="row" className={classNames(nameClasses, 'max-w-0 font-medium')}>
        <span className="flex min-w-0 items-center gap-2.5">
          {children}
          {state === 'new' && <Badge tone="success">New</Badge>}
          {state === 'gone' && <Badge tone="neutral">Gone</Badge>}
        </span>
      </th>
      <td className={figureClasses}>{figureText(first)}</td>
      <td className={figureClasses}>{figureText(second)}</td>
      <SignedCell text={differenceText(metric, row, undefined, column)} />
      <SignedCell text={changeText(metric, row)} />
    </tr>
  );
}

/** A figure whose sign is below those of the other rows. */
function SignedCell({ text }: { text: string }) {
  const sign = /^[+−]/.exec(text)?.[0];
  return (
    <td className={figureClasses}>
      <span className="flex justify-between gap-1">
        <span>{sign}</span>
        <span>{text.slice(sign?.length ?? 0)}</span>
      </span>
    </td>
  );
}
