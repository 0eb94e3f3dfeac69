import { useQuery } from '@tanstack/react-query';
import { ListFilter, X } from 'lucide-react';
import type { ComponentProps } from 'react';
import { keyListQuery } from '#dashboard/api/queries.ts';
import { Button, LinkButton } from '#dashboard/components/button.tsx';
import { useOrganization } from '#dashboard/organization/use-organization.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { type FilterName, filterNames, type LogFilters } from '../search.ts';
import { filterFields } from './fields.ts';
import { FilterPopover } from './filter-popover.tsx';
import { filterValueText } from './options.ts';

interface FilterBarProps {
  filters: LogFilters;
  entries: readonly ListedLogEntry[];
  /** An undefined value removes the filter. */
  onChange: (filters: LogFilters) => void;
}

/** The filters of the list, each of which can be changed and removed, and a button to add another. */
export function FilterBar({ filters, entries, onChange }: FilterBarProps) {
  const { id: organizationId } = useOrganization();
  const keys = useQuery({ ...keyListQuery(organizationId), enabled: filters.api_key_id !== undefined });
  const names = filterNames.filter((name) => filters[name] !== undefined);
  const free = filterNames.filter((name) => filters[name] === undefined);
  const apply = (name: FilterName, value: string | undefined) => onChange({ ...filters, [name]: value });
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      {names.map((name) => {
        const value = filters[name] ?? '';
        const text = filterValueText(name, value, keys.data?.data ?? []);
        const { title } = filterFields[name];
        return (
          <div
            key={name}
            className="flex h-8 min-w-0 items-center rounded-md border border-control bg-raised text-[0.8125rem] shadow-card"
          >
            <FilterPopover
              label={`Change filter: ${title}`}
              trigger={<ChipLabel title={title} text={text} />}
              names={[name]}
              value={value}
              entries={entries}
              onApply={apply}
            />
            <button
              type="button"
              aria-label={`Remove filter: ${title}`}
              onClick={() => apply(name, undefined)}
              className="flex size-7.5 shrink-0 items-center justify-center rounded-r-md text-muted transition-colors hover:bg-hover hover:text-text"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </div>
        );
      })}
      {free.length > 0 && (
        <FilterPopover
          label="Add filter"
          trigger={
            <Button size="small">
              <ListFilter aria-hidden />
              Add filter
            </Button>
          }
          names={free}
          entries={entries}
          onApply={apply}
        />
      )}
      {names.length > 1 && <LinkButton onClick={() => onChange({})}>Clear filters</LinkButton>}
    </div>
  );
}

function ChipLabel({ title, text, ...props }: { title: string; text: string } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...props}
      className="flex h-7.5 max-w-64 min-w-0 items-center gap-1.5 rounded-l-md pr-1 pl-2.5 transition-colors hover:bg-hover"
    >
      <span className="shrink-0 text-muted">{title}</span>
      <span className="truncate font-medium">{text}</span>
    </button>
  );
}
