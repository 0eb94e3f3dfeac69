import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronsUpDown, Clock, Keyboard, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { isSessionEnded, remove } from '#dashboard/api/client.ts';
import { initials, PersonAvatar } from '#dashboard/components/avatar.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { notifyFailure } from '#dashboard/components/feedback/toast.tsx';
import { Menu, MenuChoice, MenuItem, MenuLink, MenuSeparator } from '#dashboard/components/overlay/menu.tsx';
import { zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { usePersonTimeZone } from '#dashboard/range/person-zone.ts';
import type { User } from '#lambdas/accounts/sign-in/responses.ts';
import { railHiddenClasses, railTextClasses } from './rail.ts';
import { leave } from './sign-in-service.ts';

const themes = [
  { value: 'light', label: 'Light', icon: <Sun aria-hidden /> },
  { value: 'dark', label: 'Dark', icon: <Moon aria-hidden /> },
  { value: 'system', label: 'System', icon: <Monitor aria-hidden /> },
] as const;

interface UserMenuProps {
  user: User;
  /** The avatar alone in the header of phones, and in the sidebar of tablets. */
  look: 'header' | 'sidebar';
  onShowShortcuts: () => void;
}

export function UserMenu({ user, look, onShowShortcuts }: UserMenuProps) {
  const compact = look === 'header';
  const [theme, setTheme] = useState(chosenTheme);
  const timeZone = usePersonTimeZone();
  const signOut = useMutation({
    mutationFn: () => remove('/session'),
    onSuccess: () => leave('signed_out'),
    onError: (error) => !isSessionEnded(error) && notifyFailure(error.message),
  });
  const selectTheme = (choice: ThemeChoice) => {
    chooseTheme(choice);
    setTheme(choice);
  };

  return (
    <Menu
      side={compact ? 'bottom' : 'top'}
      align={compact ? 'end' : 'start'}
      trigger={compact ? <CompactTrigger user={user} /> : <Trigger user={user} />}
    >
      <div className="px-2.5 pt-1.5 pb-1">
        {user.name && <p className="truncate font-medium">{user.name}</p>}
        <p className="truncate text-[0.8125rem] text-muted">{user.email}</p>
      </div>
      <MenuSeparator />
      <MenuChoice
        label="Theme"
        value={theme}
        options={themes}
        onValueChange={selectTheme}
        closesMenu={false}
      />
      <MenuSeparator />
      <MenuLink link={<Link to="/account" />}>
        <Clock aria-hidden />
        <span className="min-w-0 flex-1 py-1.5">
          Time zone
          <span className="block text-[0.8125rem] text-muted wrap-anywhere">{zoneTitle(timeZone)}</span>
        </span>
      </MenuLink>
      <MenuItem onClick={onShowShortcuts}>
        <Keyboard aria-hidden />
        Keyboard shortcuts
      </MenuItem>
      <MenuSeparator />
      <MenuItem onClick={() => signOut.mutate()}>
        <LogOut aria-hidden />
        Sign out
      </MenuItem>
    </Menu>
  );
}

function Trigger({ user, ...props }: { user: User } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...props}
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

type ThemeChoice = 'light' | 'dark' | 'system';

/** Returns the choice that `initial-theme.ts` or `chooseTheme` applied. */
function chosenTheme(): ThemeChoice {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem('theme');
  } else {
    document.documentElement.dataset.theme = choice;
    localStorage.setItem('theme', choice);
  }
}
