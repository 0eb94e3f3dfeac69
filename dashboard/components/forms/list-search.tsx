import { Combobox } from '@base-ui/react/combobox';
import { Search } from 'lucide-react';

interface ListSearchProps {
  label: string;
  placeholder: string;
}

/** The search field above the options of a combobox, which opens with it. */
export function ListSearch({ label, placeholder }: ListSearchProps) {
  return (
    <div className="relative border-b border-line p-1.5">
      <Search aria-hidden className="absolute top-1/2 left-4 size-4 -translate-y-1/2 text-muted" />
      <Combobox.Input
        aria-label={label}
        placeholder={placeholder}
        spellCheck={false}
        autoFocus
        className="h-8 w-full rounded-md pr-2 pl-8.5 text-base outline-none placeholder:text-placeholder sm:text-[0.8125rem]"
      />
    </div>
  );
}
