import { lazy } from 'react';
import { OnceTriggered, type Trigger } from '#dashboard/components/overlay/once-triggered.tsx';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import type { FilterName } from './fields.ts';

export interface FilterButtonProps {
  label: string;
  trigger: Trigger;
  /** One name, or those among which the user chooses first. */
  names: readonly FilterName[];
  /** The present value of a single filter. */
  value?: string;
  /** Their values are suggested. */
  entries?: readonly ListedLogEntry[];
  onApply: (name: FilterName, value: string) => void;
}

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
