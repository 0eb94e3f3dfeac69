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
  /** Left out of a table where the others need its place. */
  isSecondary?: boolean;
  cell: (apiKey: ApiKeySummary) => ReactNode;
}

const createdColumn: KeyColumn = {
  title: 'Created',
  isSecondary: true,
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

/** No other class may say how the cells are displayed there. */
const secondaryClasses = '@[42rem]:hidden @[55rem]:table-cell';

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
      <table aria-label="API keys" className="block w-full text-left @[42rem]:table">
        <thead className="sr-only @[42rem]:not-sr-only @[42rem]:table-header-group">
          <tr>
            <th scope="col" className="h-10 w-full pr-3 pl-5 text-xs font-medium text-muted">
              Key
            </th>
            {columns.map(({ title, align, isSecondary }) => (
              <th
                key={title}
                scope="col"
                className={classNames(
                  'h-10 px-2.5 text-xs font-medium whitespace-nowrap text-muted',
                  align === 'end' && 'text-right',
                  isSecondary && secondaryClasses,
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
        <tbody className="block @[42rem]:table-row-group">
          {keys.map((apiKey) => (
            <tr
              key={apiKey.id}
              className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-2.5 border-t border-line px-5 py-4 first:border-t-0 @[42rem]:table-row @[42rem]:first:border-t"
            >
              <th
                scope="row"
                className="min-w-0 pb-1 text-left font-medium @[42rem]:border-t @[42rem]:border-line @[42rem]:py-3 @[42rem]:pr-3 @[42rem]:pl-5 @[42rem]:align-top"
              >
                <NameCell apiKey={apiKey} replaced={replaced.get(apiKey.id)} />
              </th>
              {columns.map(({ title, align, isSecondary, cell }) => (
                <td
                  key={title}
                  className={classNames(
                    'col-span-2 grid grid-cols-[7rem_minmax(0,1fr)] items-baseline gap-4 @[42rem]:border-t @[42rem]:border-line @[42rem]:px-2.5 @[42rem]:py-3 @[42rem]:align-top',
                    align === 'end' && '@[42rem]:text-right',
                    isSecondary ? secondaryClasses : '@[42rem]:table-cell',
                  )}
                >
                  <span aria-hidden className="text-[0.8125rem] text-muted @[42rem]:hidden">
                    {title}
                  </span>
                  {cell(apiKey)}
                </td>
              ))}
              <td className="col-start-2 row-start-1 -mt-1 -mr-2 min-w-8 @[42rem]:border-t @[42rem]:border-line @[42rem]:py-3 @[42rem]:pr-4 @[42rem]:pl-0 @[42rem]:text-right @[42rem]:align-top">
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
      <div className="hidden h-10 @[42rem]:block" />
      {['w-40', 'w-52', 'w-32'].map((width) => (
        <div
          key={width}
          className="flex h-63 items-start gap-8 border-t border-line px-5 py-4 first:border-t-0 @[42rem]:h-16.25 @[42rem]:items-center @[42rem]:py-0"
        >
          <div className="flex min-w-0 flex-1 flex-col gap-1.5">
            <Skeleton className={`h-4 max-w-full ${width}`} />
            <Skeleton className="h-3 w-24" />
          </div>
          <Skeleton className="hidden h-4 w-24 @[42rem]:block" />
          <Skeleton className="hidden h-4 w-20 @[42rem]:block" />
          <Skeleton className="hidden h-4 w-20 @[42rem]:block" />
          <Skeleton className="hidden h-4 w-28 @[42rem]:block" />
        </div>
      ))}
    </div>
  );
}
