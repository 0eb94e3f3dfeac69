import { Link } from '@tanstack/react-router';
import { Clock, Keyboard, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { MenuChoice, MenuItem, MenuLink, MenuSeparator } from '#dashboard/components/overlay/menu.tsx';
import { zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { usePersonTimeZone } from '#dashboard/range/person-zone.ts';
import type { User } from '#lambdas/accounts/sign-in/responses.ts';
import { chooseTheme, chosenTheme, type Theme } from '../theme.ts';
import { useSignOut } from '../use-sign-out.ts';

const themes = [
  { value: 'light', label: 'Light', icon: <Sun aria-hidden /> },
  { value: 'dark', label: 'Dark', icon: <Moon aria-hidden /> },
  { value: 'system', label: 'System', icon: <Monitor aria-hidden /> },
] as const;

export interface UserMenuItemsProps {
  user: User;
  onShowShortcuts: () => void;
}

/** The content of the user menu. */
export function UserMenuItems({ user, onShowShortcuts }: UserMenuItemsProps) {
  const [theme, setTheme] = useState(chosenTheme);
  const timeZone = usePersonTimeZone();
  const signOut = useSignOut();
  const selectTheme = (choice: Theme) => {
    chooseTheme(choice);
    setTheme(choice);
  };

  return (
    <>
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
      <MenuItem onClick={signOut}>
        <LogOut aria-hidden />
        Sign out
      </MenuItem>
    </>
  );
}
