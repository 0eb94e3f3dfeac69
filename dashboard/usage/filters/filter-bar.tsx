import { ListFilter, X } from 'lucide-react';
import type { ComponentProps } from 'react';
import type { Filters } from '#dashboard/api/analytics.ts';
import { Button } from '#dashboard/components/button.tsx';
import { FilterPopover } from '#dashboard/logs/filters/filter-popover.tsx';
import { usageRoute } from '../route.ts';
import { useKeyNames } from '../use-group-look.ts';
import { type FilterName, filterNames, filterTitles, withFilter } from './filter-fields.ts';

/** The filters of the view's link, each of which can be changed and removed, and a button to add another. */
export function FilterBar({ filters }: { filters: Filters }) {
  const navigate = usageRoute.useNavigate();
  const change = (changed: Filters) =>
    navigate({ search: (search) => ({ ...search, ...changed }), replace: true, resetScroll: false });
  const apply = (name: string, value: string) => {
    const known = filterNames.find((each) => each === name);
    if (known) change(withFilter(filters, known, value));
  };
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      {filterNames
        .filter((name) => filters[name] !== undefined)
        .map((name) => (
          <Chip
            key={name}
            name={name}
            value={filters[name] ?? ''}
            onApply={apply}
            onRemove={() => change({ [name]: undefined })}
          />
        ))}
      <FilterPopover
        label="Add filter"
        trigger={
          <Button size="small">
            <ListFilter aria-hidden />
            Add filter
          </Button>
        }
        names={filterNames.filter((name) => filters[name] === undefined)}
        entries={[]}
        onApply={apply}
      />
    </div>
  );
}

interface ChipProps {
  name: FilterName;
  value: string;
  onApply: (name: string, value: string) => void;
  onRemove: () => void;
}

function Chip({ name, value, onApply, onRemove }: ChipProps) {
  const keyNames = useKeyNames();
  const title = filterTitles[name];
  const text = name === 'api_key_id' ? (keyNames.get(value) ?? value) : value;
  return (
    <div className="flex h-8 min-w-0 items-center rounded-md border border-control bg-raised text-[0.8125rem] shadow-card">
      <FilterPopover
        label={`Change filter: ${title}`}
        trigger={<ChipLabel title={title} text={text} />}
        names={[name]}
        value={value}
        entries={[]}
        onApply={onApply}
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
