import { Combobox } from '@base-ui/react/combobox';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { ListSearch } from '#dashboard/components/forms/list-search.tsx';
import { browserTimeZone } from '#dashboard/components/values/time-zone.ts';
import { type ZoneOption, zoneOptions } from './time-zones.ts';

interface ZoneChoiceProps {
  /** Null for the zone of each browser. */
  value: string | null;
  onChoose: (timeZone: string | null) => void;
}

/** The choice of a time zone, by its name, within a panel that is open. */
export function ZoneChoice({ value, onChoose }: ZoneChoiceProps) {
  const [text, setText] = useState('');
  const [now] = useState(() => new Date());
  const options = zoneOptions(text, browserTimeZone(), now);
  return (
    <Combobox.Root<ZoneOption>
      inline
      open
      items={options}
      filter={null}
      limit={100}
      autoHighlight
      value={null}
      onValueChange={(option) => option !== null && onChoose(option.value)}
      inputValue={text}
      onInputValueChange={setText}
    >
      <ListSearch label="Search time zones" placeholder="City or region, such as Kolkata" />
      <Combobox.List className="max-h-72 min-h-0 overflow-y-auto overscroll-contain p-1.5 outline-none data-empty:p-0">
        {(option: ZoneOption) => (
          <Combobox.Item
            key={option.value ?? 'browser'}
            value={option}
            className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1 outline-none select-none data-highlighted:bg-hover"
          >
            <span className="min-w-0 flex-1 wrap-anywhere">{option.label}</span>
            <span className="text-[0.8125rem] text-muted tabular-nums">{option.offset}</span>
            <Check
              aria-hidden
              className={option.value === value ? 'size-4 shrink-0 text-muted' : 'size-4 shrink-0 invisible'}
            />
          </Combobox.Item>
        )}
      </Combobox.List>
      <Combobox.Status className="text-[0.8125rem] text-muted empty:hidden">
        {options.length === 0 && <span className="block px-4 py-2.5">No time zone matches.</span>}
      </Combobox.Status>
    </Combobox.Root>
  );
}
