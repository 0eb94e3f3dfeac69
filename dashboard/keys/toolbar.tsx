import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import type { KeyListParameters } from '#dashboard/api/keys.ts';
import { Picker } from '#dashboard/components/forms/picker.tsx';
import { SearchField } from '#dashboard/components/forms/search-field.tsx';
import { searchDelayMs } from '#dashboard/key-names/use-key-search.ts';

interface ToolbarProps {
  parameters: KeyListParameters;
  onChange: (change: KeyListParameters) => void;
}

/** The choice of the keys that are listed, and of their order. */
export function Toolbar({ parameters: { search, order, state }, onChange }: ToolbarProps) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-3">
      <SearchField
        label="Search keys"
        placeholder="Name, ID or last four characters"
        delayMs={searchDelayMs}
        value={search ?? ''}
        onValueChange={(text) => onChange({ search: text || undefined })}
      />
      <div className="flex min-w-72 flex-1 items-center justify-between gap-3">
        <StateToggle
          value={state ?? 'active'}
          onValueChange={(chosen) => onChange({ state: chosen === 'ended' ? 'ended' : undefined })}
        />
        <div className="min-w-36">
          <Picker
            label="Order"
            size="medium"
            options={orders}
            value={order ?? 'created'}
            onValueChange={(chosen) => onChange({ order: chosen === 'created' ? undefined : chosen })}
          />
        </div>
      </div>
    </div>
  );
}

const orders = [
  { value: 'created', label: 'Newest' },
  { value: 'spend', label: 'Spend' },
  { value: 'last_used', label: 'Last used' },
] as const;

type ListedState = 'active' | 'ended';

const states: readonly { value: ListedState; label: string }[] = [
  { value: 'active', label: 'Active' },
  { value: 'ended', label: 'Ended' },
];

interface StateToggleProps {
  value: ListedState;
  onValueChange: (value: ListedState) => void;
}

/** Shows the keys that can be used, or those that are revoked or have expired. */
function StateToggle({ value, onValueChange }: StateToggleProps) {
  return (
    <ToggleGroup
      aria-label="Keys to show"
      value={[value]}
      onValueChange={([chosen]) => chosen !== undefined && onValueChange(chosen)}
      className="inline-flex gap-0.5 rounded-lg border border-line bg-hover p-0.5"
    >
      {states.map((state) => (
        <Toggle
          key={state.value}
          value={state.value}
          className="flex h-7.5 items-center rounded-md px-2.5 text-[0.8125rem] font-medium text-muted transition-colors hover:text-text data-pressed:bg-[light-dark(#fff,#3a3a41)] data-pressed:text-text data-pressed:shadow-card"
        >
          {state.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
