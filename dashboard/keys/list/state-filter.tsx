import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';

export type StateFilter = 'active' | 'all';

interface StateFilterProps {
  value: StateFilter;
  onValueChange: (value: StateFilter) => void;
  counts: Record<StateFilter, number>;
}

const labels: Record<StateFilter, string> = { active: 'Active', all: 'All' };

/** Hides revoked and expired keys, or shows them too. */
export function StateFilterToggle({ value, onValueChange, counts }: StateFilterProps) {
  return (
    <ToggleGroup
      aria-label="Keys to show"
      value={[value]}
      onValueChange={([chosen]) => chosen !== undefined && onValueChange(chosen)}
      className="inline-flex gap-0.5 rounded-lg border border-line bg-hover p-0.5"
    >
      {(['active', 'all'] as const).map((filter) => (
        <Toggle
          key={filter}
          value={filter}
          className="flex h-7 items-center gap-1.5 rounded-md px-2.5 text-[0.8125rem] font-medium text-muted transition-colors hover:text-text data-pressed:bg-[light-dark(#fff,#3a3a41)] data-pressed:text-text data-pressed:shadow-card"
        >
          {labels[filter]}
          <span className="tabular-nums">{counts[filter]}</span>
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
