import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export interface Column<Item> {
  /** Also the label of the value where the screen is too narrow for columns. */
  title: string;
  /** Such as the actions on the item: no label. */
  hiddenTitle?: boolean;
  align?: 'end';
  cell: (item: Item) => ReactNode;
}

interface TableProps<Item> {
  label: string;
  /** The first names the item. */
  columns: readonly [Column<Item>, ...Column<Item>[]];
  items: readonly Item[];
  itemKey: (item: Item) => string;
}

/** A table, whose rows become blocks with labelled values on narrow screens, with the actions beside the name. */
export function Table<Item>({ label, columns, items, itemKey }: TableProps<Item>) {
  const [nameColumn, ...otherColumns] = columns;
  return (
    <div className="@container">
      <table aria-label={label} className="block w-full text-left @[42rem]:table">
        <thead className="sr-only @[42rem]:not-sr-only @[42rem]:table-header-group">
          <tr>
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={classNames(
                  'h-10 px-4 first:pl-5 last:pr-5 text-xs font-medium whitespace-nowrap text-muted',
                  column.align === 'end' && 'text-right',
                )}
              >
                {column.hiddenTitle ? <span className="sr-only">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block @[42rem]:table-row-group">
          {items.map((item) => (
            <tr
              key={itemKey(item)}
              className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1.5 border-t border-line px-5 py-4 first:border-t-0 @[42rem]:table-row @[42rem]:h-14 @[42rem]:p-0 @[42rem]:first:border-t"
            >
              <th
                scope="row"
                className="col-start-1 row-start-1 mb-1 block self-center font-medium @[42rem]:table-cell @[42rem]:border-t @[42rem]:border-line @[42rem]:px-4 @[42rem]:first:pl-5 @[42rem]:last:pr-5 @[42rem]:py-3"
              >
                {nameColumn.cell(item)}
              </th>
              {otherColumns.map((column) => (
                <td
                  key={column.title}
                  className={classNames(
                    column.hiddenTitle ? 'col-start-2 row-start-1 mb-1 self-center' : 'col-span-2',
                    'flex items-center justify-between gap-4 empty:hidden @[42rem]:table-cell @[42rem]:empty:table-cell @[42rem]:border-t @[42rem]:border-line @[42rem]:px-4 @[42rem]:first:pl-5 @[42rem]:last:pr-5 @[42rem]:py-3',
                    column.align === 'end' && '@[42rem]:text-right',
                  )}
                >
                  {!column.hiddenTitle && (
                    <span aria-hidden className="text-muted @[42rem]:hidden">
                      {column.title}
                    </span>
                  )}
                  {column.cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
