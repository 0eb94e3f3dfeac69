import { Popover } from '@base-ui/react/popover';
import { useState } from 'react';
import type { Trigger } from '#dashboard/components/overlay/once-opened.tsx';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { BoundsForm } from './bounds-form.tsx';
import { type ConditionName, conditionTitle, type FilterName } from './fields.ts';
import { type FigureBounds, isFigureName } from './figures.ts';
import type { Conditions } from './logs-search.ts';
import { ValueForm } from './value-form.tsx';

export interface FilterButtonProps {
  label: string;
  trigger: Trigger;
  /** One name, or those among which the user chooses first. */
  names: readonly ConditionName[];
  /** The present ones. */
  filters: Conditions;
  /** Their values are suggested. */
  entries?: readonly ListedLogEntry[];
  onApply: (name: FilterName, value: string) => void;
  onBoundsApply?: (bounds: FigureBounds) => void;
}

/** A button with its panel, which is open at first. */
export function FilterPopover({
  label,
  trigger,
  names,
  filters,
  entries = [],
  onApply,
  onBoundsApply,
}: FilterButtonProps) {
  // The panel stays in the landmark of its button.
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const [isOpen, setOpen] = useState(true);
  const [chosen, setChosen] = useState<ConditionName | null>(null);
  const name = chosen ?? (names.length === 1 ? (names[0] ?? null) : null);
  const open = (next: boolean) => {
    setOpen(next);
    if (next) setChosen(null);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={open}>
      <Popover.Trigger render={trigger} />
      <div ref={setContainer} />
      <Popover.Portal container={container}>
        <Popover.Positioner
          side="bottom"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          collisionAvoidance={{ fallbackAxisSide: 'none' }}
          className="z-40 outline-none"
        >
          <Popover.Popup
            aria-label={label}
            className="max-h-(--available-height) w-68 max-w-(--available-width) origin-(--transform-origin) overflow-y-auto rounded-xl bg-raised p-1.5 shadow-popup outline-none transition-[opacity,scale] duration-100 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0"
          >
            {name === null ? (
              <NameList names={names} onChoose={setChosen} />
            ) : isFigureName(name) ? (
              <BoundsForm
                name={name}
                bounds={filters}
                onApply={(bounds) => {
                  setOpen(false);
                  onBoundsApply?.(bounds);
                }}
              />
            ) : (
              <ValueForm
                name={name}
                value={filters[name] ?? ''}
                entries={entries}
                onApply={(applied) => {
                  setOpen(false);
                  onApply(name, applied);
                }}
              />
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface NameListProps {
  names: readonly ConditionName[];
  onChoose: (name: ConditionName) => void;
}

function NameList({ names, onChoose }: NameListProps) {
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <button
            type="button"
            onClick={() => onChoose(name)}
            className="flex min-h-8 w-full items-center rounded-md px-2.5 text-left hover:bg-hover focus-visible:outline-offset-[-2px]"
          >
            {conditionTitle(name)}
          </button>
        </li>
      ))}
    </ul>
  );
}
