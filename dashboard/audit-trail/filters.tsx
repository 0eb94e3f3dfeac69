import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { isSessionEnded } from '#dashboard/api/client.ts';
import { type AuditFilters, memberListQuery } from '#dashboard/api/organizations.ts';
import { Button } from '#dashboard/components/button.tsx';
import { notifyFailure } from '#dashboard/components/feedback/toast.tsx';
import { Picker } from '#dashboard/components/forms/picker.tsx';
import { SearchField } from '#dashboard/components/forms/search-field.tsx';
import { loadCode } from '#dashboard/components/load-code.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { Range } from '#dashboard/range/range.ts';
import { RangeFilter } from './range-filter.tsx';
import { type AuditSearch, actionTitles } from './search.ts';

const searchDelayMs = 250;

interface FiltersProps {
  search: AuditSearch;
  filters: AuditFilters;
  range: Range;
  onChange: (change: AuditSearch) => void;
}

/** The choice of the records that are shown, and their export. */
export function Filters({ search, filters, range, onChange }: FiltersProps) {
  return (
    <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
      <div className="col-span-2 sm:w-52 lg:w-60">
        <SearchField
          label="Target"
          placeholder="Target: name or ID"
          delayMs={searchDelayMs}
          value={search.target ?? ''}
          onValueChange={(target) => onChange({ target: target.trim() || undefined })}
        />
      </div>
      <Picker
        label="Action"
        options={[
          { value: '', label: 'All' },
          ...Object.entries(actionTitles).map(([value, label]) => ({ value, label })),
        ]}
        value={search.action ?? ''}
        onValueChange={(action) => onChange({ action: (action || undefined) as AuditSearch['action'] })}
      />
      <PersonPicker value={search.actor} onValueChange={(actor) => onChange({ actor })} />
      <RangeFilter search={search} range={range} onChange={onChange} />
      <div className="sm:ml-auto">
        <ExportButton filters={filters} timeZone={range.timeZone} />
      </div>
    </div>
  );
}

interface PersonPickerProps {
  value: string | undefined;
  onValueChange: (actor: string | undefined) => void;
}

/** Somebody who has left, or an operator, is chosen in the details of a record. */
function PersonPicker({ value, onValueChange }: PersonPickerProps) {
  const { id: organizationId } = useOrganization();
  const members = useQuery(memberListQuery(organizationId));
  const people = members.data?.data.map(({ id, name, email }) => ({ value: id, label: name ?? email })) ?? [];
  const isListed = value === undefined || people.some((person) => person.value === value);
  return (
    <Picker
      label="Person"
      options={[{ value: '', label: 'All' }, ...people, ...(isListed ? [] : [{ value, label: value }])]}
      value={value ?? ''}
      onValueChange={(actor) => onValueChange(actor || undefined)}
    />
  );
}

function ExportButton({ filters, timeZone }: { filters: AuditFilters; timeZone: string }) {
  const queryClient = useQueryClient();
  const { id: organizationId } = useOrganization();
  const saving = useMutation({
    mutationFn: async () => {
      const { saveRecords } = await loadCode(() => import('./csv.ts'));
      await saveRecords(queryClient, organizationId, { filters, timeZone });
    },
    onError: (error) => !isSessionEnded(error) && notifyFailure(error.message),
  });
  return (
    <Button size="small" onClick={() => saving.mutateAsync()}>
      <Download aria-hidden />
      Export CSV
    </Button>
  );
}
