import { Combobox } from '@base-ui/react/combobox';
import { Check } from 'lucide-react';
import { Button } from '#dashboard/components/button.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { ListSearch } from '#dashboard/components/forms/list-search.tsx';
import { type KeyOption, type KeySearch, keyOption, useKeySearch } from './use-key-search.ts';

interface KeyListProps {
  search: KeySearch;
  /** The present value. */
  value: string;
}

/** The field and the options of a combobox of keys. */
export function KeyList({ search: { query, keys, hasMore }, value }: KeyListProps) {
  return (
    <>
      <ListSearch label="Search keys" placeholder="Name, ID or last four characters" />
      {query.isPending && <KeyListSkeleton />}
      <Combobox.List
        aria-busy={query.isPlaceholderData || undefined}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-1.5 outline-none aria-busy:opacity-60 data-empty:p-0"
      >
        {(option: KeyOption) => (
          <Combobox.Item
            key={option.value}
            value={option}
            className="flex min-h-8 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1 outline-none select-none data-highlighted:bg-hover"
          >
            <span className="min-w-0 flex-1 wrap-anywhere">{option.label}</span>
            {option.detail && <span className="text-[0.8125rem] text-muted">{option.detail}</span>}
            {option.value === value && <Check aria-hidden className="size-4 shrink-0 text-muted" />}
          </Combobox.Item>
        )}
      </Combobox.List>
      <Combobox.Status className="text-[0.8125rem] text-muted empty:hidden">
        {query.isError ? (
          <span className="flex items-center justify-between gap-3 px-4 py-2.5">
            {query.error.message}
            <Button size="small" pending={query.isFetching} onClick={() => query.refetch()}>
              Try again
            </Button>
          </span>
        ) : query.isSuccess && !query.isPlaceholderData && keys.length === 0 ? (
          <span className="block px-4 py-2.5">No key matches.</span>
        ) : (
          hasMore && (
            <span className="block border-t border-line px-4 py-2">There are more: type to narrow.</span>
          )
        )}
      </Combobox.Status>
    </>
  );
}

function KeyListSkeleton() {
  return (
    <div aria-busy="true" className="flex flex-col gap-3 px-4 py-3">
      {['w-24', 'w-36', 'w-28'].map((width) => (
        <Skeleton key={width} className={`h-4 ${width}`} />
      ))}
      <span className="sr-only">Loading…</span>
    </div>
  );
}

interface KeyChoiceProps {
  /** The present key; empty without one. */
  value: string;
  onChoose: (keyId: string) => void;
}

/** The choice of a key within a panel that is open. */
export function KeyChoice({ value, onChoose }: KeyChoiceProps) {
  const search = useKeySearch('any');
  return (
    <Combobox.Root<KeyOption>
      inline
      open
      items={search.keys.map(keyOption)}
      filter={null}
      autoHighlight
      value={null}
      onValueChange={(option) => option !== null && onChoose(option.value)}
      inputValue={search.text}
      onInputValueChange={search.setText}
    >
      <div className="-m-1.5 flex max-h-80 flex-col">
        <KeyList search={search} value={value} />
      </div>
    </Combobox.Root>
  );
}
