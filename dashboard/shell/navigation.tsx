import { Link, type LinkProps } from '@tanstack/react-router';
import { KeyRound, type LucideIcon, MonitorSmartphone, UserRound } from 'lucide-react';

interface NavigationItem {
  to: LinkProps['to'];
  title: string;
  icon: LucideIcon;
}

const groups: { title: string; items: NavigationItem[] }[] = [
  {
    title: 'Account',
    items: [
      { to: '/account', title: 'Profile', icon: UserRound },
      { to: '/account/security', title: 'Security', icon: KeyRound },
      { to: '/account/sessions', title: 'Sessions', icon: MonitorSmartphone },
    ],
  },
];

/** @param onNavigate called when a link has been chosen, to close the drawer around it */
export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  return (
    <nav aria-label="Main" className="flex flex-col gap-6">
      {groups.map((group) => (
        <div key={group.title}>
          <p className="px-2.5 pb-1.5 text-xs font-medium text-muted">{group.title}</p>
          <ul className="flex flex-col gap-0.5">
            {group.items.map(({ to, title, icon: Icon }) => (
              <li key={title}>
                <Link
                  to={to}
                  onClick={onNavigate}
                  activeOptions={{ exact: true }}
                  className="group flex h-9 items-center gap-2.5 rounded-lg px-2.5 font-medium text-muted transition-colors hover:bg-hover hover:text-text aria-[current=page]:bg-selected aria-[current=page]:text-text md:h-8"
                >
                  <Icon aria-hidden className="size-4 shrink-0" strokeWidth={1.9} />
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
