import { lazy } from 'react';
import { OnceTriggered } from '#dashboard/components/overlay/once-triggered.tsx';
import type { FilterButtonProps } from './filter-popover.tsx';

const loadPopover = () => import('./filter-popover.tsx');
const FilterPopover = lazy(() => loadPopover().then((module) => ({ default: module.FilterPopover })));

/** A button with a panel in which a filter and its value are chosen. */
export function FilterButton(props: FilterButtonProps) {
  return (
    <div className="min-w-0">
      <OnceTriggered trigger={props.trigger} popup="dialog" load={loadPopover}>
        <FilterPopover {...props} />
      </OnceTriggered>
    </div>
  );
}
