import type { ReactNode } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { formatMonthDay } from '#dashboard/components/values/time-format.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import type { KeyAction } from './actions/key-action.ts';
import { BudgetsCell, CreatedCell, LastUsedCell, NameCell, SpendCell } from './key-cells.tsx';
import { KeyMenu } from './key-menu.tsx';
import { StateCell } from './state-cell.tsx';

interface KeyTableProps {
  keys: readonly ApiKeySummary[];
  /** The first day of the sums, such as `2026-10-01`. */
  spendSince: string;
  onAction: (action: KeyAction) => void;
}

interface KeyColumn {
  title: string;
  align?: 'end';
  cell: (apiKey: ApiKeySummary) => ReactNode;
}

const createdColumn: KeyColumn = {
  title: 'Created',
  cell: (apiKey) => <CreatedCell apiKey={apiKey} />,
};
function lastUsedColumn(spendSince: string): KeyColumn {
  return {
    title: 'Last used',
    cell: (apiKey) => <LastUsedCell apiKey={apiKey} spendSince={spendSince} />,
  };
}
function spendColumn(spendSince: string): KeyColumn {
  return {
    title: `Spend since ${formatMonthDay(spendSince)}`,
    align: 'end',
    cell: (apiKey) => <SpendCell apiKey={apiKey} />,
  };
}
const budgetsColumn: KeyColumn = {
  title: 'Budget',
  cell: (apiKey) => <BudgetsCell apiKey={apiKey} />,
};
const stateColumn: KeyColumn = {
  title: 'State',
  cell: (apiKey) => <StateCell apiKey={apiKey} />,
};

/** On narrow screens, each key is a block with labelled values. */
export function KeyTable({ keys, spendSince, onAction }: KeyTableProps) {
  const hasBudgets = keys.some(({ budgets }) => budgets.length > 0);
  const replaced = new Map(keys.map((apiKey) => [apiKey.replacement_id, apiKey]));
  const columns = [
    createdColumn,
    lastUsedColumn(spendSince),
    spendColumn(spendSince),
    ...(hasBudgets ? [budgetsColumn] : []),
    stateColumn,
  ];
  return (
    <div className="@container">
      <table aria-label="API keys" className="block w-full text-left @[55rem]:table">
        <thead className="sr-only @[55rem]:not-sr-only @[55rem]:table-header-group">
          <tr>
            <th scope="col" className="h-10 w-full pr-3 pl-5 text-xs font-medium text-muted">
              Key
            </th>
            {columns.map(({ title, align }) => (
              <th
                key={title}
                scope="col"
                className={classNames(
                  'h-10 px-2.5 text-xs font-medium whitespace-nowrap text-muted',
                  align === 'end' && 'text-right',
                )}
              >
                {title}
              </th>
            ))}
            <th scope="col" className="px-4">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="block @[55rem]:table-row-group">
          {keys.map((apiKey) => (
            <tr
              key={apiKey.id}
              className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-2.5 border-t border-line px-5 py-4 first:border-t-0 @[55rem]:table-row @[55rem]:first:border-t"
            >
              <th
                scope="row"
                className="min-w-0 pb-1 text-left font-medium @[55rem]:border-t @[55rem]:border-line @[55rem]:py-3 @[55rem]:pr-3 @[55rem]:pl-5 @[55rem]:align-top"
              >
                <NameCell apiKey={apiKey} replaced={replaced.get(apiKey.id)} />
              </th>
              {columns.map(({ title, align, cell }) => (
                <td
                  key={title}
                  className={classNames(
                    'col-span-2 grid grid-cols-[7rem_minmax(0,1fr)] items-baseline gap-4 @[55rem]:table-cell @[55rem]:border-t @[55rem]:border-line @[55rem]:px-2.5 @[55rem]:py-3 @[55rem]:align-top',
                    align === 'end' && '@[55rem]:text-right',
                  )}
                >
                  <span aria-hidden className="text-[0.8125rem] text-muted @[55rem]:hidden">
                    {title}
                  </span>
                  {cell(apiKey)}
                </td>
              ))}
              <td className="col-start-2 row-start-1 -mt-1 -mr-2 min-w-8 @[55rem]:border-t @[55rem]:border-line @[55rem]:py-3 @[55rem]:pr-4 @[55rem]:pl-0 @[55rem]:text-right @[55rem]:align-top">
                <KeyMenu apiKey={apiKey} onAction={onAction} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Three keys, at their final height. */
export function KeyTableSkeleton() {
  return (
    <div className="@container">
      <div className="hidden h-10 @[55rem]:block" />
      {['w-40', 'w-52', 'w-32'].map((width) => (
        <div
          key={width}
          className="flex h-63 items-start gap-8 border-t border-line px-5 py-4 first:border-t-0 @[55rem]:h-16.25 @[55rem]:items-center @[55rem]:py-0"
        >
          <div className="flex min-w-0 flex-1 flex-col gap-1.5">
            <Skeleton className={`h-4 max-w-full ${width}`} />
            <Skeleton className="h-3 w-24" />
          </div>
          <Skeleton className="hidden h-4 w-24 @[55rem]:block" />
          <Skeleton className="hidden h-4 w-20 @[55rem]:block" />
          <Skeleton className="hidden h-4 w-20 @[55rem]:block" />
          <Skeleton className="hidden h-4 w-28 @[55rem]:block" />
        </div>
      ))}
    </div>
  );
}
