import { Combobox } from '@base-ui/react/combobox';
import { Field } from '@base-ui/react/field';
import { ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';
import { KeyList } from './key-list.tsx';
import { type KeyOption, keyOption, useKeySearch } from './use-key-search.ts';

interface KeySelectProps {
  label: string;
  /** Name in the errors of a form. */
  name: string;
  /** Can be chosen instead of a key. */
  first: KeyOption;
  value: KeyOption;
  onValueChange: (option: KeyOption) => void;
}

/** A form's choice of an active key, with a search. */
export function KeySelect({ label, name, first, value, onValueChange }: KeySelectProps) {
  // The list stays in the landmark of its field.
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const search = useKeySearch('active');
  const keys = search.keys.map(keyOption);
  return (
    <Field.Root name={name} className="flex min-w-0 flex-col gap-1.5">
      <Combobox.Root<KeyOption>
        items={search.text === '' ? [first, ...keys] : keys}
        filter={null}
        autoHighlight
        value={value}
        onValueChange={(option) => option !== null && onValueChange(option)}
        isItemEqualToValue={(one, other) => one.value === other.value}
        inputValue={search.text}
        onInputValueChange={search.setText}
        onOpenChangeComplete={(isOpen) => !isOpen && search.setText('')}
      >
        <Combobox.Label className="font-medium">{label}</Combobox.Label>
        <div className="min-w-0">
          <Combobox.Trigger className="flex h-9 w-full items-center justify-between gap-1.5 rounded-lg border border-control bg-raised pr-2.5 pl-3 text-left text-base shadow-card transition-colors select-none hover:bg-hover sm:text-sm">
            <span className="flex min-w-0 items-baseline gap-2">
              <span className="min-w-0 truncate">{value.label}</span>
              {value.detail && <span className="shrink-0 text-[0.8125rem] text-muted">{value.detail}</span>}
            </span>
            <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-muted" />
          </Combobox.Trigger>
          <div ref={setContainer} />
        </div>
        <Combobox.Portal container={container}>
          <Combobox.Positioner
            align="start"
            sideOffset={6}
            collisionPadding={8}
            className="z-50 outline-none"
          >
            <Combobox.Popup
              aria-label={label}
              className="flex max-h-[min(20rem,var(--available-height))] w-(--anchor-width) min-w-64 max-w-(--available-width) origin-(--transform-origin) flex-col rounded-xl bg-raised shadow-popup outline-none transition-[opacity,scale] duration-100 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0"
            >
              <KeyList search={search} value={value.value} />
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      <Field.Error className="text-[0.8125rem] text-danger" />
    </Field.Root>
  );
}
