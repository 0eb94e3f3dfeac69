import { ChevronsUpDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { initials, PersonAvatar } from '#dashboard/components/avatar.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { loadCode } from '#dashboard/components/load-code.ts';
import { Menu } from '#dashboard/components/overlay/menu.tsx';
import type { User } from '#lambdas/accounts/sign-in/responses.ts';
import { railHiddenClasses, railTextClasses } from './rail.ts';
import type { UserMenuItemsProps } from './user-menu-items.tsx';

type Items = typeof import('./user-menu-items.tsx');

let items: Items | null = null;

async function loadItems(): Promise<void> {
  items = await loadCode(() => import('./user-menu-items.tsx'));
}

interface UserMenuProps extends UserMenuItemsProps {
  /** The avatar alone in the header of phones, and in the sidebar of tablets. */
  look: 'header' | 'sidebar';
}

export function UserMenu({ user, look, onShowShortcuts }: UserMenuProps) {
  const compact = look === 'header';
  return (
    <Menu
      side={compact ? 'bottom' : 'top'}
      align={compact ? 'end' : 'start'}
      trigger={compact ? <CompactTrigger user={user} /> : <Trigger user={user} />}
      load={loadItems}
    >
      <LoadedItems user={user} onShowShortcuts={onShowShortcuts} />
    </Menu>
  );
}

/** Only within the opened menu, whose trigger has loaded them. */
function LoadedItems(props: UserMenuItemsProps) {
  return items && <items.UserMenuItems {...props} />;
}

function Trigger({ user, ...props }: { user: User } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...props}
      title={user.email}
      className="flex w-full items-center gap-2.5 rounded-lg p-2 text-left transition-colors hover:bg-hover data-popup-open:bg-hover md:max-lg:p-1"
    >
      <PersonAvatar person={user} />
      <span className={classNames('min-w-0 flex-1', railTextClasses)}>
        <span className="sr-only">User menu: </span>
        <span className="block truncate font-medium">{user.name ?? user.email}</span>
        {user.name && <span className="block truncate text-xs text-muted">{user.email}</span>}
      </span>
      <ChevronsUpDown aria-hidden className={classNames('size-4 shrink-0 text-muted', railHiddenClasses)} />
    </button>
  );
}

function CompactTrigger({ user, ...props }: { user: User } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...props}
      // With the visible initials, by which people who speak to their browser name the button.
      aria-label={`User menu ${initials(user.name, user.email)}: ${user.name ?? user.email}`}
      className="flex size-10 items-center justify-center rounded-full"
    >
      <PersonAvatar person={user} />
    </button>
  );
}
