import { ListFilter, X } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Button, LinkButton } from '#dashboard/components/button.tsx';
import { lazyComponent, loadCode } from '#dashboard/components/load-code.ts';
import { OnceTriggered } from '#dashboard/components/overlay/once-opened.tsx';
import { isOperation, operationTitles } from '#dashboard/components/request/operation.ts';
import { isOutcome, outcomeLooks } from '#dashboard/components/request/outcome.ts';
import { ForeignText } from '#dashboard/components/values/foreign-text.tsx';
import { useKeyName } from '#dashboard/key-names/use-key-names.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { type ConditionName, conditionTitle, type FilterName } from './fields.ts';
import { formatBounds } from './figure-text.ts';
import { type FigureBounds, hasBounds, isFigureName } from './figures.ts';
import type { FilterButtonProps } from './filter-popover.tsx';
import type { Conditions } from './logs-search.ts';

interface FilterBarProps {
  /** The filters that the view offers. */
  names: readonly ConditionName[];
  filters: Conditions;
  /** Their values are suggested. */
  entries?: readonly ListedLogEntry[];
  onApply: (name: FilterName, value: string) => void;
  /** Only where bounds of figures are offered. */
  onBoundsApply?: (bounds: FigureBounds) => void;
  onRemove: (names: readonly ConditionName[]) => void;
}

/** The filters of a view, each of which can be changed and removed, and a button to add another. */
export function FilterBar({ names, filters, onRemove, ...panel }: FilterBarProps) {
  const set = names.filter((name) => isSet(filters, name));
  const free = names.filter((name) => !isSet(filters, name));
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      {set.map((name) => (
        <Chip key={name} name={name} filters={filters} onRemove={() => onRemove([name])} {...panel} />
      ))}
      {free.length > 0 && (
        <FilterButton
          label="Add filter"
          trigger={
            <Button size="small">
              <ListFilter aria-hidden />
              Add filter
            </Button>
          }
          names={free}
          filters={filters}
          {...panel}
        />
      )}
      {set.length > 1 && <LinkButton onClick={() => onRemove(set)}>Clear filters</LinkButton>}
    </div>
  );
}

function isSet(filters: Conditions, name: ConditionName): boolean {
  return isFigureName(name) ? hasBounds(filters, name) : filters[name] !== undefined;
}

interface ChipProps extends Omit<FilterBarProps, 'names' | 'onRemove'> {
  name: ConditionName;
  onRemove: () => void;
}

function Chip({ name, onRemove, ...panel }: ChipProps) {
  const title = conditionTitle(name);
  return (
    <div className="flex h-8 min-w-0 items-center rounded-md border border-control bg-raised text-[0.8125rem] shadow-card">
      <FilterButton
        label={`Change filter: ${title}`}
        trigger={<ChipLabel title={title} text={useConditionText(name, panel.filters)} />}
        names={[name]}
        {...panel}
      />
      <button
        type="button"
        aria-label={`Remove filter: ${title}`}
        onClick={onRemove}
        className="flex size-7.5 shrink-0 items-center justify-center rounded-r-md text-muted transition-colors hover:bg-hover hover:text-text"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </div>
  );
}

/** The value of a filter in words, or the bounds of a figure. */
function useConditionText(name: ConditionName, filters: Conditions): string {
  const value = isFigureName(name) ? formatBounds(name, filters) : (filters[name] ?? '');
  const isKey = name === 'api_key_id';
  const key = useKeyName(isKey ? value : null);
  if (isKey) return key?.name ?? value;
  if (name === 'operation' && isOperation(value)) return operationTitles[value];
  return name === 'outcome' && isOutcome(value) ? outcomeLooks[value].title : value;
}

function ChipLabel({ title, text, ...props }: { title: string; text: string } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...props}
      className="flex h-7.5 max-w-64 min-w-0 items-center gap-1.5 rounded-l-md pr-1 pl-2.5 transition-colors hover:bg-hover"
    >
      <span className="shrink-0 text-muted">{title}</span>
      <span className="truncate font-medium">
        <ForeignText>{text}</ForeignText>
      </span>
    </button>
  );
}

const loadPopover = () => loadCode(() => import('./filter-popover.tsx'));
const FilterPopover = lazyComponent(loadPopover, 'FilterPopover');

/** A button with a panel in which a filter and its value are chosen. */
function FilterButton(props: FilterButtonProps) {
  return (
    <div className="min-w-0">
      <OnceTriggered trigger={props.trigger} popup="dialog" load={loadPopover}>
        <FilterPopover {...props} />
      </OnceTriggered>
    </div>
  );
}
