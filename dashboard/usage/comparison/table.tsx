import { ArrowDown, ArrowUp } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Swatch } from '#dashboard/charts/frame/legend.tsx';
import type { GroupLook } from '#dashboard/charts/report-series.ts';
import { Badge } from '#dashboard/components/badge.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { GroupLabel } from '#dashboard/metrics/figure-table.tsx';
import { capitalize, groupTitles } from '#dashboard/metrics/groups.ts';
import { type MetricName, metrics } from '#dashboard/metrics/metrics.ts';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import {
  type ComparedColumn,
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
  metric: MetricName;
  look: GroupLook;
  /** The titles of both ranges. */
  titles: readonly [string, string];
}

/** A metric of each group in both ranges, sorted by the column whose title is chosen. */
export function ComparisonTable({ report, previous, metric, look, titles }: ComparisonTableProps) {
  const [order, setOrder] = useState<{ column: ComparedColumn; isAscending: boolean }>({
    column: 'difference',
    isAscending: false,
  });
  const group = report.group_by;
  const rows = sortedRows(comparedRows(report, previous), metric, order);
  const columns: Record<ComparedColumn, string> = {
    first: titles[0],
    second: titles[1],
    difference: 'Difference',
    change: 'Change',
  };
  const sortBy = (column: ComparedColumn) =>
    setOrder({ column, isAscending: order.column === column && !order.isAscending });
  return (
    <div className="overflow-x-auto">
      <table aria-label={`${metrics[metric].title} compared`} className="w-full text-left">
        <thead>
          <tr className="text-xs text-muted">
            <th scope="col" className={classNames(nameClasses, 'h-10 w-full font-medium')}>
              {group === null ? 'Requests' : capitalize(groupTitles[group].one)}
            </th>
            {Object.entries(columns).map(([column, title]) => (
              <SortableTitle
                key={column}
                title={title}
                order={order.column !== column ? null : order.isAscending ? 'ascending' : 'descending'}
                onSort={() => sortBy(column as ComparedColumn)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Row key={row.value ?? ''} row={row} metric={metric}>
              <Swatch colour={look.colour(row.value, index)} />
              <GroupLabel value={row.value} name={look.name(row.value)} />
            </Row>
          ))}
          {group !== 'error_code' && (
            <Row row={totalRow(report, previous)} metric={metric} isTotal>
              All requests
            </Row>
          )}
        </tbody>
      </table>
    </div>
  );
}

const nameClasses = 'sticky left-0 z-1 min-w-[14em] bg-surface pr-2 pl-5';
const figureClasses = 'px-4 text-right whitespace-nowrap tabular-nums last:pr-5';

interface SortableTitleProps {
  title: string;
  order: 'ascending' | 'descending' | null;
  onSort: () => void;
}

function SortableTitle({ title, order, onSort }: SortableTitleProps) {
  const Icon = order === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <th scope="col" aria-sort={order ?? 'none'} className={classNames(figureClasses, 'h-10 font-medium')}>
      <button
        type="button"
        onClick={onSort}
        className="inline-flex min-h-6 items-center gap-1 rounded-sm hover:text-text"
      >
        {title}
        <Icon aria-hidden className={classNames('size-3', order === null && 'invisible')} />
      </button>
    </th>
  );
}

interface RowProps {
  row: ComparedRow;
  metric: MetricName;
  isTotal?: boolean;
  /** The name. */
  children: ReactNode;
}

function Row({ row, metric, isTotal = false, children }: RowProps) {
  const { first, second, state } = row;
  const textOf = (totals: CostTotals | null) => (totals === null ? '–' : metrics[metric].textOf(totals));
  return (
    <tr className={classNames('h-11 *:border-t *:border-line', isTotal && 'font-medium')}>
      <th scope="row" className={classNames(nameClasses, 'max-w-0 font-medium')}>
        <span className="flex min-w-0 items-center gap-2.5">
          {children}
          {state === 'new' && <Badge tone="success">New</Badge>}
          {state === 'gone' && <Badge tone="neutral">Gone</Badge>}
        </span>
      </th>
      <td className={figureClasses}>{textOf(first)}</td>
      <td className={figureClasses}>{textOf(second)}</td>
      <td className={figureClasses}>{differenceText(metric, row)}</td>
      <td className={figureClasses}>{changeText(metric, row)}</td>
    </tr>
  );
}
