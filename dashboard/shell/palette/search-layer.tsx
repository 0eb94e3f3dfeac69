import { Search } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '#dashboard/components/button.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { OnRail } from '../sidebar/on-rail.tsx';
import { railHiddenClasses, railIconClasses, railTextClasses } from '../sidebar/rail.ts';
import { searchKeys, useShortcuts } from './shortcuts.ts';

const Palette = lazyComponent(() => import('./palette.tsx'), 'Palette');
const ShortcutsDialog = lazyComponent(() => import('./shortcuts-dialog.tsx'), 'ShortcutsDialog');

export type Opened = 'search' | 'shortcuts' | null;

interface SearchLayerProps {
  opened: Opened;
  onOpen: (opened: Opened) => void;
}

/** The search and the sheet of shortcuts, whose code is loaded when they are first opened, by key or button. */
export function SearchLayer({ opened, onOpen }: SearchLayerProps) {
  useShortcuts(onOpen);
  const [openings, setOpenings] = useState(0);
  const [wasOpen, setWasOpen] = useState(false);
  const isSearching = opened === 'search';
  if (isSearching !== wasOpen) {
    setWasOpen(isSearching);
    // Each search begins anew.
    if (isSearching) setOpenings(openings + 1);
  }
  return (
    <>
      <OnceOpened open={isSearching}>
        <Palette
          key={openings}
          open={isSearching}
          onOpenChange={(isOpen) => onOpen(isOpen ? 'search' : null)}
          onShowShortcuts={() => onOpen('shortcuts')}
        />
      </OnceOpened>
      <OnceOpened open={opened === 'shortcuts'}>
        <ShortcutsDialog
          open={opened === 'shortcuts'}
          onOpenChange={(isOpen) => onOpen(isOpen ? 'shortcuts' : null)}
        />
      </OnceOpened>
    </>
  );
}

interface SearchButtonProps {
  /** In the header of phones an icon, in the sidebar as wide as it is. */
  look: 'header' | 'sidebar';
  onClick: () => void;
}

export function SearchButton({ look, onClick }: SearchButtonProps) {
  if (look === 'header') {
    return (
      <IconButton label="Search" aria-haspopup="dialog" onClick={onClick}>
        <Search aria-hidden />
      </IconButton>
    );
  }
  const keys = searchKeys();
  return (
    <OnRail rail title={`Search (${keys.join(' ')})`}>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts={keys[0] === '⌘' ? 'Meta+K' : 'Control+K'}
        onClick={onClick}
        className={classNames(
          'flex h-8.5 w-full items-center gap-2.5 rounded-lg border border-control bg-raised px-2.5 text-left text-muted shadow-card transition-colors hover:bg-hover hover:text-text',
          railIconClasses,
        )}
      >
        <Search aria-hidden className="size-4 shrink-0" />
        <span className={classNames('flex-1', railTextClasses)}>Search…</span>
        <kbd aria-hidden className={classNames('font-sans text-xs', railHiddenClasses)}>
          {keys.join(' ')}
        </kbd>
      </button>
    </OnRail>
  );
}
