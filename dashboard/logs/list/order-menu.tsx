import { ArrowDownUp } from 'lucide-react';
import { Button } from '#dashboard/components/button.tsx';
import { Menu, MenuChoice, MenuSeparator } from '#dashboard/components/overlay/menu.tsx';
import { type FigureName, figureNames, figureTitles } from '#dashboard/filters/figures.ts';
import type { LogsOrder } from '#dashboard/filters/logs-search.ts';

interface OrderMenuProps {
  order: LogsOrder;
  onOrderChange: (order: LogsOrder) => void;
}

/** The order of the list, also by figures that have no column. */
export function OrderMenu({ order, onOrderChange }: OrderMenuProps) {
  const { sort, order: direction } = order;
  return (
    <Menu
      align="end"
      trigger={
        <Button size="small">
          <ArrowDownUp aria-hidden />
          <span className="sr-only">Order: </span>
          {orderTitle(order)}
        </Button>
      }
    >
      <MenuChoice<FigureName | 'created_at'>
        label="Sort by"
        value={sort ?? 'created_at'}
        options={[
          { value: 'created_at', label: 'Time' },
          ...figureNames.map((value) => ({ value, label: figureTitles[value] })),
        ]}
        onValueChange={(value) => onOrderChange({ sort: value === 'created_at' ? undefined : value })}
      />
      <MenuSeparator />
      <MenuChoice<'desc' | 'asc'>
        label="Direction"
        value={direction ?? 'desc'}
        options={[
          { value: 'desc', label: sort === undefined ? 'Newest first' : 'Highest first' },
          { value: 'asc', label: sort === undefined ? 'Oldest first' : 'Lowest first' },
        ]}
        onValueChange={(value) => onOrderChange({ sort, order: value === 'asc' ? 'asc' : undefined })}
      />
    </Menu>
  );
}

/** Returns text such as "Newest first" or "Highest cost first". */
export function orderTitle({ sort, order }: LogsOrder): string {
  if (sort === undefined) return order === 'asc' ? 'Oldest first' : 'Newest first';
  return `${order === 'asc' ? 'Lowest' : 'Highest'} ${figureTitles[sort].toLowerCase()} first`;
}
