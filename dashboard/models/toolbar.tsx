import { Picker } from '#dashboard/components/forms/picker.tsx';
import { SearchField } from '#dashboard/components/forms/search-field.tsx';
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
        label="Search models"
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
