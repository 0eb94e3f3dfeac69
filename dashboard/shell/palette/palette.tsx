import { Combobox } from '@base-ui/react/combobox';
import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { backdropClasses } from '#dashboard/components/overlay/dialog.tsx';
import { chooseTheme } from '../theme.ts';
import { useSignOut } from '../use-sign-out.ts';
import type { Command, Destination } from './destination.ts';
import { useDestinations } from './use-destinations.ts';

interface PaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onShowShortcuts: () => void;
}

/** A search over views, actions, errors, keys, users, prompts, sessions, models, times and ids of requests, by keyboard alone. */
export function Palette({ open, onOpenChange, onShowShortcuts }: PaletteProps) {
  const navigate = useNavigate();
  const signOut = useSignOut();
  const run = (command: Command) => {
    if (command === 'shortcuts') onShowShortcuts();
    else if (command === 'sign_out') signOut();
    else chooseTheme(command);
  };
  const goTo = ({ link, command }: Destination) => {
    onOpenChange(false);
    if (link !== null) void navigate(link);
    else if (command !== undefined) run(command);
  };
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClasses} />
        <Dialog.Viewport className="fixed inset-0 z-40 flex items-start justify-center overflow-y-auto overscroll-contain px-4 pt-[12vh] pb-4">
          <Dialog.Popup className="relative w-full max-w-xl overflow-hidden rounded-2xl bg-raised shadow-popup outline-none transition-[opacity,scale] duration-100 ease-out data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0">
            <Dialog.Title className="sr-only">Search</Dialog.Title>
            <Results onChoose={goTo} />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Results({ onChoose }: { onChoose: (destination: Destination) => void }) {
  const [text, setText] = useState('');
  const { found, isSearching, isIncomplete } = useDestinations(text);
  return (
    <Combobox.Root<Destination>
      inline
      open
      items={found}
      filter={null}
      autoHighlight
      value={null}
      onValueChange={(destination) => destination !== null && onChoose(destination)}
      inputValue={text}
      onInputValueChange={setText}
      itemToStringLabel={({ title }) => title}
    >
      <div className="relative border-b border-line">
        <Search aria-hidden className="absolute top-1/2 left-4.5 size-4 -translate-y-1/2 text-muted" />
        <Combobox.Input
          aria-label="Search"
          placeholder="View, action, key, user, model, error, time or request ID"
          spellCheck={false}
          autoFocus
          className="h-13 w-full pr-4 pl-11.5 text-base outline-none placeholder:text-placeholder sm:text-sm"
        />
      </div>
      <Combobox.List className="max-h-[min(26rem,60vh)] overflow-y-auto overscroll-contain p-1.5 outline-none data-empty:p-0">
        {(destination: Destination) => (
          <Combobox.Item
            key={destination.id}
            value={destination}
            className="flex min-h-10 cursor-pointer items-center gap-3 rounded-lg px-3 py-1.5 outline-none select-none data-highlighted:bg-hover"
          >
            <bdi className="min-w-0 flex-1 wrap-anywhere">{destination.title}</bdi>
            {destination.detail && <span className="text-[0.8125rem] text-muted">{destination.detail}</span>}
            <span className="shrink-0 text-xs text-muted">{destination.kind}</span>
          </Combobox.Item>
        )}
      </Combobox.List>
      <Combobox.Status className="text-[0.8125rem] text-muted empty:hidden">
        {statusText(found.length, isSearching, isIncomplete)}
      </Combobox.Status>
    </Combobox.Root>
  );
}

function statusText(count: number, isSearching: boolean, isIncomplete: boolean) {
  const text = isSearching
    ? 'Searching…'
    : isIncomplete
      ? 'A part of the search has failed: something may be missing.'
      : count === 0 && 'Nothing matches.';
  return text && <span className="block border-t border-line px-4 py-2.5 first:border-t-0">{text}</span>;
}
