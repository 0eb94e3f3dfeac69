import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Picker } from '#dashboard/components/forms/picker.tsx';
import { SwitchField } from '#dashboard/components/forms/switch-field.tsx';
import type { ModelsSearch } from './search.ts';

interface ToolbarProps {
  search: ModelsSearch;
  onChange: (change: ModelsSearch) => void;
  providers: readonly string[];
}

/** The value of the select for all providers. */
const anyProvider = '';

export function Toolbar({ search, onChange, providers }: ToolbarProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-3">
      <SearchField
        value={search.search ?? ''}
        onValueChange={(text) => onChange({ search: text || undefined })}
      />
      <div className="min-w-40 flex-1 sm:max-w-56">
        <Picker
          label="Provider"
          showsLabel={false}
          size="medium"
          options={[
            { value: anyProvider, label: 'All providers' },
            ...providers.map((name) => ({ value: name, label: name })),
          ]}
          value={search.provider ?? anyProvider}
          onValueChange={(provider) => onChange({ provider: provider || undefined })}
        />
      </div>
      <div className="sm:ml-auto">
        <SwitchField
          label="Also providers that are not set up"
          checked={search.providers === 'all'}
          onCheckedChange={(isChecked) => onChange({ providers: isChecked ? 'all' : undefined })}
        />
      </div>
    </div>
  );
}

interface SearchFieldProps {
  value: string;
  onValueChange: (value: string) => void;
}

/** Keeps what is typed itself: the link follows too late for a text field. */
function SearchField({ value, onValueChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  return (
    <div className="relative min-w-0 basis-full sm:max-w-xs sm:flex-1 sm:basis-60">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-2.5 left-3 size-4 text-muted"
        strokeWidth={1.9}
      />
      <input
        type="search"
        aria-label="Search models"
        placeholder="Search models"
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={({ target }) => {
          sent.current = target.value;
          setText(target.value);
          onValueChange(target.value);
        }}
        className="h-9 w-full rounded-lg border border-control bg-raised pr-3 pl-9 text-base shadow-card transition-colors placeholder:text-placeholder focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/30 sm:text-sm"
      />
    </div>
  );
}
